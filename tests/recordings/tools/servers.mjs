// Servers and web frameworks.
const nginx = {
  version: 'nginx -v 2>&1',
  files: {
    'nginx.conf': 'daemon off;\npid /tmp/app/nginx/pid;\nerror_log stderr notice;\nevents {}\n'
      + 'http {\n  access_log off;\n  server { listen 127.0.0.1:8580; }\n}\n',
    'bad.conf': 'events {}\nhttp {\n  server { listem 8580; }\n}\n',
  },
  recordings: [
    { name: 'ready', command: 'nginx -e stderr -c /tmp/app/nginx/nginx.conf '
      + '2>&1 | grep --line-buffered -v OS:',
      steps: [{ until: /start worker process \d+/ }] },
    { name: 'config', command: 'nginx -e stderr -t -c /tmp/app/nginx/bad.conf' },
  ],
};

const POSTGRES = '/usr/lib/postgresql/15/bin';
const postgres = {
  user: 'postgres',
  version: `${POSTGRES}/postgres --version`,
  prepare: ['if [ "$(id -u)" = 0 ]; then chown postgres . && as="setpriv --reuid=postgres '
    + '--regid=postgres '
    + `--clear-groups"; fi; $as ${POSTGRES}/initdb -D data -U postgres --auth=trust -N `
    + `--locale=C.UTF-8`],
  recordings: [
    { name: 'ready', command: `${POSTGRES}/postgres -D data -p 5532 -k /tmp/app/postgres`,
      steps: [{ until: /ready to accept/ }] },
    { name: 'failure', command: `${POSTGRES}/postgres -D missing` },
    { name: 'psql_pty', pty: true,
      command: `as=; [ "$(id -u)" != 0 ] || as="setpriv --reuid=postgres `
        + `--regid=postgres --clear-groups"\n`
        + `$as ${POSTGRES}/postgres -D data -p 5532 -k /tmp/app/postgres >/dev/null 2>&1 &\n`
        + "trap 'kill $!' EXIT HUP TERM\n"
        + 'until pg_isready -q -h localhost -p 5532; do sleep 0.1; done\n'
        + 'psql -h localhost -p 5532 -U postgres',
      steps: [{ until: /postgres=# $/, type: 'select '
        + '1 +\r' }, { until: /postgres-# $/, type: 'x;\r' },
              { until: /ERROR/ }] },
  ],
};

const redis = {
  version: 'redis-server --version',
  recordings: [
    { name: 'ready', command: 'redis-server --port 6479 --save ""',
      steps: [{ until: /Ready to accept/ }] },
    { name: 'config', command: 'redis-server --port none' },
    { name: 'cli_pty', pty: true,
      command: 'redis-server --port 6480 --save "" >/dev/null &\n' + "trap 'kill $!' EXIT "
        + "HUP TERM\n"
        + 'until redis-cli -p 6480 ping >/dev/null 2>&1; do sleep 0.1; done\nredis-cli -p 6480',
      steps: [{ until: /> $/ }] },
  ],
};

const django = {
  version: 'python3 -m django --version',
  files: {
    'manage.py': "import os\nimport sys\n\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', "
      + "'site_settings')\n\n"
      + "from django.core.management import execute_from_command_line\n\n"
      + "execute_from_command_line(sys.argv)\n",
    'site_settings.py': "SECRET_KEY = 'x'\nDEBUG = True\nROOT_URLCONF = 'site_urls'\n"
      + "ALLOWED_HOSTS = ['*']\n"
      + "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}}\n"
      + "INSTALLED_APPS = ['shop']\nUSE_TZ = True\n",
    'site_urls.py': "from django.urls import path\n\n\ndef crash(request):\n"
      + "    return request.missing\n\n\n"
      + "urlpatterns = [path('crash', crash)]\n",
    'shop/__init__.py': '',
    'shop/tests.py': 'from django.test import SimpleTestCase\n\n\nclass Sum(SimpleTestCase):\n'
      + '    def test_adds(self):\n'
      + '        self.assertEqual(1 - 2, 3)\n\n    def test_crash(self):\n        missing()\n',
  },
  recordings: [
    { name: 'ready', command: 'python3 manage.py runserver 8680',
      steps: [{ until: /Quit the server/ }] },
    { name: 'ready_pty', command: 'python3 manage.py runserver 8680', pty: true,
      steps: [{ until: /Quit the server/ }] },
    { name: 'crash', command: 'python3 manage.py runserver 8680',
      steps: [{ until: /Quit the server/, get: 'http://localhost:8680/crash' },
              { until: /GET \/crash/ }] },
    { name: 'test', command: 'python3 manage.py test' },
  ],
};

const rails = {
  version: 'rails --version',
  files: {
    'config.ru': "require './app'\nrun Rails.application\n",
    'app.rb': "require 'rails'\nrequire 'action_controller/railtie'\n\n"
      + "class App < Rails::Application\n"
      + "  config.root = __dir__\n  config.eager_load = false\n  config.secret_key_base = 'x'\n"
      + "  config.hosts.clear\n"
      + "  config.consider_all_requests_local = true\n"
      + "  config.logger = Logger.new($stdout)\nend\n\n"
      + "class CrashController < ActionController::Base\n"
      + "  def show\n    nil.port\n  end\nend\n\n"
      + "Rails.application.initialize!\nRails.application.routes.draw "
      + "{ get '/crash', to: 'crash#show' }\n",
    'config/application.rb': "require_relative '../app'\n",
    'bin/rails': "#!/usr/bin/env ruby\nAPP_PATH = File.expand_path('../config/application', "
      + "__dir__)\n"
      + "$stdout.sync = true\nrequire 'rails/command'\nRails::Command.invoke(ARGV.shift, ARGV)\n",
    'config/environment.rb': "require_relative 'application'\n",
    'sum_test.rb': "require 'active_support'\nrequire 'active_support/test_case'\n"
      + "require 'minitest/autorun'\n\n"
      + "class SumTest < ActiveSupport::TestCase\n  test 'adds' do\n    assert_equal 3, 1 - 2\n"
      + "  end\n"
      + "  test 'crashes' do\n    missing\n  end\nend\n",
    'crash.rb': "def read(options)\n  options.port\nend\nread(nil)\n",
    'syntax.rb': "def read(options)\n  options +\nend\n",
  },
  recordings: [
    { name: 'ready', command: 'ruby bin/rails server -p 8780 -b localhost',
      steps: [{ until: /Listening on|Ctrl-C/ }] },
    { name: 'crash', command: 'ruby bin/rails server -p 8780 -b localhost',
      steps: [{ until: /Ctrl-C/, get: 'http://localhost:8780/crash' },
              { until: /NoMethodError/ }] },
    { name: 'test', command: 'ruby sum_test.rb --seed 1' },
    { name: 'ruby_crash', command: 'ruby crash.rb' },
    { name: 'ruby_crash_pty', command: 'ruby crash.rb', pty: true },
    { name: 'ruby_syntax', command: 'ruby syntax.rb' },
    { name: 'irb_pty', command: 'irb --nomultiline --nosingleline', pty: true,
      steps: [{ until: /irb.*> $/ }] },
  ],
};

export default { nginx, postgres, redis, django, rails };
