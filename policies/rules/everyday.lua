-- What everyday work needs from elsewhere: queries of databases and stores, migrations forward, and
-- tools for documents and media. A command that no rule matches may have to do without the network.
local verbs = require 'verbs'

local MODES = { 'auto' }

-- One subcommand that the knowledge has, whose code, if any, is judged: a format #( ) is code, and
-- another command follows a word that ends with ;.
local function own_tmux(command)
  for _, word in ipairs(command.argv) do
    if word:find('#(', 1, true) or word:find(';$') then
      return false
    end
  end
  return command.subcommand ~= '' and command.subcommand ~= 'if-shell'
end

return {
  {
    id = 'databases.reads',
    decision = 'allow',
    modes = MODES,
    program = 'psql mysql mariadb mongosh mongo cqlsh clickhouse-client duckdb sqlcmd cockroach '
      .. 'usql trino '
      .. 'presto snowsql pgcli mycli litecli pg_isready mysqlshow mongostat mongotop influx',
    only_reads = 'harmless_device',
    not_argument = {
      'write', 'delete', 'restore', 'setup', 'apply', 'import', 're:-[0-9A-Za-z]*[0-9]f.*',
    },
    match = {
      "psql -c 'select 1'", 'psql -l', "mysql -e 'show databases'", "duckdb -c 'select 1'",
      "psql app -c 'select * from users'",
    },
    not_match = {
      'influx write x', 'psql -1f x.sql', "psql -c 'drop table x'", 'psql -o out -l',
      'psql app < x.sql',
    },
  },
  {
    id = 'databases.local_reads',
    decision = 'allow',
    modes = MODES,
    program = 'sqlite3 duckdb',
    test = function(command)
      -- The database is opened for writing, and a query leaves it as it is.
      for _, access in ipairs(command.accesses) do
        if access.redirection then
          return false
        end
      end
      return #command.doubts == 0
    end,
    access = 'write read',
    path = 'workspace temp',
    match = {
      'sqlite3 app.db .schema', "sqlite3 app.db 'select * from t'",
      'sqlite3 app.db .tables',
    },
    not_match = { "sqlite3 app.db 'drop table t'", 'sqlite3 ~/x.db .schema', 'sqlite3 app.db < x' },
  },
  {
    id = 'databases.migrates',
    decision = 'allow',
    modes = MODES,
    program = 'alembic flask django-admin flyway liquibase dbmate diesel sqlx sea-orm-cli goose '
      .. 'migrate '
      .. 'knex typeorm sequelize sequelize-cli drizzle-kit mikro-orm createdb pg_dump mysqldump '
      .. 'mongodump '
      .. 'prisma pg_dumpall mongoexport pgbench vacuumdb pg_restore reindexdb node-pg-migrate '
      .. 'db-migrate',
    match = {
      'alembic upgrade head', 'npx prisma generate', 'flask db upgrade', 'pg_dump app > app.sql',
      'createdb app_test',
    },
    not_match = { { command = 'alembic upgrade head', mode = 'plan' } },
  },
  {
    id = 'everyday.media',
    decision = 'allow',
    modes = MODES,
    program = 'ffmpeg ffprobe mediainfo exiftool identify pdfinfo pdffonts pdfimages sox soxi '
      .. 'convert magick '
      .. 'mogrify composite montage rsvg-convert inkscape cwebp dwebp pngquant optipng '
      .. 'jpegoptim svgo '
      .. 'gs qpdf pdftk pdftotext pdftoppm dot neato plantuml gnuplot pandoc asciidoctor latexmk '
      .. 'pdflatex xelatex lualatex bibtex biber typst mdbook mmdc tesseract ocrmypdf img2pdf '
      .. 'gifsicle oxipng zopflipng potrace avifenc heif-convert djvutxt antiword catdoc',
    match = { 'ffmpeg -i a.mp4 b.webm', 'pandoc a.md -o a.pdf', 'dot -Tsvg a.dot -o a.svg' },
    not_match = { { command = 'ffmpeg -i a b', mode = 'plan' } },
  },
  {
    id = 'everyday.tools',
    decision = 'allow',
    modes = MODES,
    program = 'docker podman docker-compose podman-compose kubectl helm',
    subcommand = {
      'manifest', 'search', 'pull', 'image pull', 'compose pull', 'wait', 'events', 'save',
      'export',
      'buildx ls', 'context ls', 'dependency', 'package', 'verify', 'repo', 'kustomize',
      'completion',
      'image build', 'scout', 'config get-clusters', 'config get-users', 'env', 'network ls',
      'network list', 'volume list',
    },
    match = { 'docker pull postgres:16', 'helm dependency update', 'kubectl wait '
      .. '--for=condition=x y' },
    not_match = { 'docker push x' },
  },
  {
    id = 'everyday.lookups',
    decision = 'allow',
    modes = MODES,
    program = 'ping ping6 dig nslookup host drill whois traceroute tracepath mtr nc ncat netcat '
      .. 'nc.openbsd '
      .. 'http https xh xhs httpie aria2c ssh-keyscan yt-dlp lynx w3m links elinks grpcurl ab hey '
      .. 'wrk k6 vegeta siege hg svn jj sl fossil tcping tcptraceroute fping dog doggo kdig lychee '
      .. 'muffet linkchecker',
    not_argument = { '-U', '--unixsock', '--unix-socket*' },
    test = function(command)
      local systems = { hg = true, svn = true, jj = true, sl = true, fossil = true }
      return not systems[command.program] or verbs.looks(command)
    end,
    match = { 'dig example.com', 'nc -z localhost 5432', 'hg log', 'svn status', 'jj log' },
    not_match = { { command = 'dig example.com', mode = 'plan' }, 'hg unknown x' },
  },
  {
    id = 'everyday.installs',
    decision = 'allow',
    modes = MODES,
    program = 'rustup conda mamba micromamba pyenv rbenv nodenv nvm fnm volta asdf mise rtx sdk '
      .. 'jenv '
      .. 'opam luarocks '
      .. 'cpanm conan vcpkg spack pod carthage nuget hex brew snap flatpak port apt apt-get dnf '
      .. 'yum apk nix '
      .. 'pipx gcloud-emulators direnv chezmoi devbox ansible-galaxy ansible-lint '
      .. 'ansible-playbook ansible '
      .. 'ansible-inventory ansible-doc tflint tfsec checkov infracost shellcheck '
      .. 'terraform-docs vagrant '
      .. 'minikube kind k3d colima',
    test = function(command)
      local words = verbs.operands(command, 2)
      return verbs.looks(command)
        or command.program == 'ansible-lint' or command.program == 'ansible-playbook'
        or command.program == 'ansible-inventory' or command.program == 'ansible-doc'
        or command.program == 'tflint' or command.program == 'tfsec' or command.program == 'checkov'
        or words[1] == 'versions' or words[1] == 'env' and words[2] == 'list'
        or words[1] == 'outdated'
    end,
    match = { 'conda list', 'pyenv versions', 'brew list', 'ansible-playbook --syntax-check '
      .. 'site.yml' },
    not_match = { { command = 'conda list', mode = 'plan' } },
  },
  {
    id = 'everyday.system',
    decision = 'allow',
    modes = { 'auto' },
    program = 'date dmesg crontab timedatectl hostnamectl localectl loginctl service launchctl '
      .. 'defaults dconf '
      .. 'gsettings nmcli resolvectl networkctl smartctl zpool zfs dkms pm2 nvidia-smi tmux screen '
      .. 'notify-send pbcopy pbpaste xclip xsel wl-copy open xdg-open arp route sysctl dpkg adb',
    test = function(command)
      if command.program == 'tmux' then
        return own_tmux(command)
      end
      local free = { ['notify-send'] = true, pbcopy = true, pbpaste = true, xclip = true,
      xsel = true,
        open = true, ['xdg-open'] = true, crontab = true, ['nvidia-smi'] = true,
        date = true, dmesg = true }
      return free[command.program] or #command.argv == 1 or verbs.looks(command)
        or command.argv[2]:find('^%-[lLaqn]') ~= nil or command.argv[2] == 'devices'
    end,
    match = { 'crontab -l', 'timedatectl', 'pm2 list', 'tmux ls', 'zpool status',
      'tmux kill-session -t x', 'tmux capture-pane -p -t x' },
    not_match = { { command = 'tmux ls', mode = 'plan' }, "tmux kill-session -t x \\; run 'make x'",
      "tmux capture-pane -p -F '#(make x)'", 'tmux source-file x',
      'tmux -L x source-file y', "tmux ls -F '#(make x)'" },
  },
  {
    id = 'everyday.scanners',
    decision = 'allow',
    modes = MODES,
    program = 'trivy grype syft gitleaks osv-scanner',
    not_argument = {
      'server', 'plugin', 'module', 'clean', 'login', 'registry', 'attest', '--server*',
    },
    match = { 'trivy fs .', 'syft .', 'gitleaks detect', 'trivy image app:latest' },
    not_match = { 'trivy plugin install x', 'trivy fs --server http://x .' },
  },
  {
    id = 'everyday.servers',
    decision = 'allow',
    modes = MODES,
    program = { 'uvicorn', 'gunicorn', 'hypercorn', 'celery', 'jupyter', 'jupyter-lab',
      'streamlit', 'iex',
      'storybook', 'serve', 'http-server', 'live-server', 'json-server', 'lighthouse', 'lhci',
      'wait-on',
      'create-*', 'kustomize', 'act', 'openapi-generator', 'sb', 'expo', 'gatsby',
      'tldr',
      'cheat', 'changeset', 'flutter', 'electron', 'electron-builder', 'kubeval', 'kubeconform',
      'stern', 'pod' },
    match = { 'uvicorn app:app --reload', 'npx create-next-app@latest x', 'npx serve dist' },
    not_match = { { command = 'serve', mode = 'plan' } },
  },
}
