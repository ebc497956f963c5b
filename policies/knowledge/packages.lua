-- Package managers of languages and of the system.
local function subcommands(names, more)
  local found = more or {}
  for name in names:gmatch('%S+') do
    found[name] = found[name] or {}
  end
  return found
end

-- `tool exec [--] COMMAND`; the value of -c is a line for a shell.
local function runner(values)
  return {
    options_first = true,
    values = (values or '') .. ' -c --call -p --package -w --workspace',
    executes = '-p --package', -- packages, by name
    runs = {
      { how = 'shell', from = '-c --call' },
      { how = 'argv', unless = '-c --call' },
    },
  }
end
local RUN = runner()
-- Packages by name, or directories of them.
local LOCAL = { executes = 'operands' }

local SYSTEM = {
  values = '-o --option -c --config-file -t --target-release -a -r --root --installroot --repo '
    .. '--enablerepo --disablerepo --setopt -C --releasever',
}
SYSTEM.runs = {
  { how = 'shell', from = '-o --option', strip_prefix = 'APT::Update::Pre-Invoke::=' },
  { how = 'shell', from = '-o --option', strip_prefix = 'APT::Update::Post-Invoke::=' },
  { how = 'shell', from = '-o --option', strip_prefix = 'DPkg::Pre-Invoke::=' },
  { how = 'shell', from = '-o --option', strip_prefix = 'Dpkg::Pre-Invoke::=' },
  { how = 'shell', from = '-o --option', strip_prefix = 'DPkg::Post-Invoke::=' },
}
SYSTEM.subcommands = subcommands('install remove purge autoremove update upgrade full-upgrade '
  .. 'dist-upgrade search show list policy depends rdepends download source changelog info '
  .. 'reinstall erase downgrade groupinstall localinstall makecache repolist provides history '
  .. 'check-update clean autoclean moo build-dep add del fix stats in rm se up dup refresh '
  .. 'edit-sources')

-- Where uvx takes packages from.
local UVX = '--from --with --index --index-url --default-index --extra-index-url --find-links'

local NPM_VALUES = '-w --workspace --prefix -C --registry --tag --otp --access --cache '
  .. '--userconfig --loglevel --omit --include --script-shell --before --globalconfig -F '
  .. '--filter --dir --store-dir --node-options'

return {
  npm = {
    values = NPM_VALUES,
    cwd = '--prefix -C',
    executes = '--script-shell --userconfig --globalconfig',
    subcommands = subcommands('install i ci add uninstall un remove rm r update up upgrade test t '
      .. 'tst run run-script start stop restart ls list ll la outdated view v info show search '
      .. 'audit fund pack publish unpublish deprecate dist-tag owner access login logout adduser '
      .. 'whoami token profile org team star link ln unlink init create config set get cache prune '
      .. 'dedupe rebuild version explain why doctor ping pkg docs bugs repo root prefix bin '
      .. 'completion help query sbom install-test it install-ci-test cit shrinkwrap hook', {
      exec = RUN, x = RUN,
      install = LOCAL, i = LOCAL, add = LOCAL, link = LOCAL, ln = LOCAL, it = LOCAL,
      pack = {},
      explore = { options_first = true, runs = { { how = 'argv', skip = 1 } } },
      ['config set'] = {}, ['config get'] = {}, ['config list'] = {}, ['config ls'] = {},
      ['config delete'] = {}, ['config edit'] = {},
      ['cache clean'] = {}, ['cache verify'] = {},
      ['pkg set'] = {}, ['pkg get'] = {}, ['pkg delete'] = {},
    }),
  },
  ['npx pnpx bunx'] = RUN,
  pnpm = {
    values = NPM_VALUES,
    cwd = '-C --dir --prefix',
    executes = '--script-shell',
    subcommands = subcommands('install i add remove rm update up test t run start list ls outdated '
      .. 'why audit publish pack link unlink init create import prune rebuild store config deploy '
      .. 'fetch patch patch-commit setup env root bin licenses build dev lint login logout adduser '
      .. 'owner token whoami', {
      exec = RUN, dlx = RUN, ['config set'] = {}, ['config get'] = {}, ['config list'] = {},
      ['config delete'] = {},
      add = LOCAL, install = LOCAL, i = LOCAL, link = LOCAL,
    }),
  },
  ['yarn yarnpkg'] = {
    values = '--cwd --registry --modules-folder --cache-folder --mutex --network-timeout '
      .. '--use-yarnrc --script-shell',
    cwd = '--cwd',
    subcommands = subcommands('install add remove upgrade up test run start list why outdated '
      .. 'audit publish pack link unlink init create config cache info workspaces workspace '
      .. 'global login logout owner tag team version versions import dedupe plugin rebuild set '
      .. 'build dev lint', {
      exec = RUN, dlx = RUN, node = {}, add = LOCAL, link = LOCAL,
      ['npm publish'] = {}, ['global add'] = {},
      ['config set'] = {},
    }),
  },
  corepack = {},
  ['pip pip3 pip3.* pip2'] = {
    values = '-r --requirement -c --constraint -e --editable -t --target --prefix --root --src -i '
      .. '--index-url --extra-index-url -f --find-links --platform --python-version --cache-dir '
      .. '--log --proxy --timeout --trusted-host -d --dest --dest-dir -w --wheel-dir --python '
      .. '--config-settings --global-option --install-option --report --format --path',
    reads = '-r --requirement -c --constraint',
    writes = '-t --target --prefix --root --src -d --dest -w --wheel-dir --log --report',
    executes = '-e --editable --python',
    subcommands = subcommands('install uninstall list show freeze check download wheel search hash '
      .. 'config cache debug index inspect lock help', {
      install = LOCAL, wheel = LOCAL, download = {},
      ['config set'] = {}, ['config edit'] = {}, ['config unset'] = {},
    }),
  },
  pipx = {
    values = '--python --pip-args --index-url --spec --suffix',
    subcommands = subcommands('install uninstall upgrade list inject ensurepath', {
      run = {
        options_first = true, values = '--spec --python', executes = '--spec',
        runs = { { how = 'argv' } },
      },
    }),
  },
  uv = {
    values = '--directory --project --python -p --index-url --extra-index-url --cache-dir '
      .. '--config-file',
    cwd = '--directory',
    subcommands = subcommands('sync lock add remove init tree export build publish venv python '
      .. 'self cache version help', {
      run = {
        options_first = true,
        values = '--with --with-requirements --with-editable --env-file -p --python --extra '
          .. '--group --project --directory --package -m --module --index --index-url '
          .. '--default-index --extra-index-url --find-links',
        executes = '--with --index --index-url --default-index',
        runs = { { how = 'argv', unless = '-m --module' } },
      },
      ['tool run'] = {
        options_first = true, values = UVX .. ' -p --python', executes = UVX,
        runs = { { how = 'argv' } },
      },
      ['tool install'] = {}, ['tool uninstall'] = {}, ['tool list'] = {}, ['tool upgrade'] = {},
      ['pip install'] = {
        values = '-r --requirement -c --constraint -e --editable -t --target --prefix -p --python',
        reads = '-r --requirement', writes = '-t --target --prefix',
        executes = { 'operands', '-e --editable' },
      },
      add = LOCAL,
      ['pip uninstall'] = {}, ['pip list'] = {}, ['pip freeze'] = {}, ['pip show'] = {},
      ['pip compile'] = { values = '-o --output-file', writes = '-o --output-file' },
      ['pip sync'] = {}, ['pip tree'] = {}, ['pip check'] = {},
    }),
  },
  uvx = {
    options_first = true, values = UVX .. ' -p --python', executes = UVX,
    runs = { { how = 'argv' } },
  },
  poetry = {
    values = '-C --directory -P --project --source -G --group -E --extras -o --output -f --format '
      .. '-u --username -p --password -r --repository',
    cwd = '-C --directory',
    subcommands = subcommands('install add remove update lock show build publish check init new '
      .. 'env config version export self search cache', {
      run = { options_first = true, runs = { { how = 'argv' } } },
      shell = {}, add = LOCAL,
    }),
  },
  ['gem bundle bundler'] = {
    values = '-v --version -i --install-dir -n --bindir -s --source -g --file -P --path -j --jobs '
      .. '--gemfile --host -k --key',
    writes = '-i --install-dir -n --bindir',
    subcommands = subcommands('install uninstall update list search build push yank owner signin '
      .. 'outdated show info check add remove lock config clean package cache init open env fetch '
      .. 'cleanup', {
      exec = { options_first = true, runs = { { how = 'argv' } } },
    }),
  },
  ['composer'] = {
    values = '-d --working-dir',
    cwd = '-d --working-dir',
    subcommands = subcommands('install update require remove dump-autoload show outdated validate '
      .. 'audit create-project global run-script self-update config init', {
      exec = { options_first = true, runs = { { how = 'argv' } } },
    }),
  },
  ['twine flit'] = {
    values = '-r --repository --repository-url -u --username -p --password -c --config-file',
    subcommands = subcommands('upload check register build publish install'),
  },
  ['vsce ovsx'] = { subcommands = subcommands('publish package ls login') },
  ['luarocks cpanm cpan pear pecl raco'] = { values = '-l -L --local-lib --tree --server' },
  ['conan vcpkg spack'] = {},
  ['apt apt-get aptitude'] = SYSTEM,
  ['apt-cache apt-file dpkg-query rpmquery'] = { values = '-o -c -f -W --showformat' },
  ['apt-mark apt-key add-apt-repository dpkg-reconfigure update-alternatives dpkg-divert'] = {},
  dpkg = {
    values = '--admindir --root --instdir --force -D --debug',
    reads = 'operands',
    writes = '--root --instdir',
  },
  ['dpkg-deb'] = { reads = 'first', writes = 'second' },
  ['yum dnf microdnf zypper apk pkg tdnf'] = SYSTEM,
  rpm = { values = '--root --dbpath --define --eval -E --qf --queryformat' },
  ['pacman yay paru'] = { values = '-b --dbpath -r --root --config --cachedir' },
  ['snap flatpak brew port emerge xbps-install nix-env winget choco scoop mas'] = {
    values = '--channel --revision -P -i -e -f',
    subcommands = subcommands('install remove uninstall reinstall refresh upgrade update search '
      .. 'info list tap untap link unlink cleanup services outdated deps leaves config doctor '
      .. 'bundle pin cask find'),
  },
}
