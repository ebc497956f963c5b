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
-- Sub-commands that rules name.
local NAMED = [[install i ci add update up upgrade download fetch get sync lock outdated audit view
  info search require login logout adduser token owner access profile org team signin hook]]
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
  .. 'dist-upgrade search show list download info reinstall erase downgrade groupinstall '
  .. 'localinstall history clean autoclean build-dep add del fix in rm up dup edit-sources')

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
    subcommands = subcommands(NAMED, {
      exec = RUN, x = RUN,
      install = LOCAL, i = LOCAL, add = LOCAL, link = LOCAL, ln = LOCAL, it = LOCAL,
      explore = { options_first = true, runs = { { how = 'argv', skip = 1 } } },
    }),
  },
  ['npx pnpx bunx'] = RUN,
  pnpm = {
    values = NPM_VALUES,
    cwd = '-C --dir --prefix',
    executes = '--script-shell',
    subcommands = subcommands(NAMED, {
      exec = RUN, dlx = RUN,
      add = LOCAL, install = LOCAL, i = LOCAL, link = LOCAL,
    }),
  },
  ['yarn yarnpkg'] = {
    values = '--cwd --registry --modules-folder --cache-folder --mutex --network-timeout '
      .. '--use-yarnrc --script-shell',
    cwd = '--cwd',
    subcommands = subcommands(NAMED, {
      exec = RUN, dlx = RUN, add = LOCAL, link = LOCAL,
    }),
  },
  ['pip pip3 pip3.* pip2'] = {
    values = '-r --requirement -c --constraint -e --editable -t --target --prefix --root --src -i '
      .. '--index-url --extra-index-url -f --find-links --platform --python-version --cache-dir '
      .. '--log --proxy --timeout --trusted-host -d --dest --dest-dir -w --wheel-dir --python '
      .. '--config-settings --global-option --install-option --report --format --path',
    reads = '-r --requirement -c --constraint',
    writes = '-t --target --prefix --root --src -d --dest -w --wheel-dir --log --report',
    executes = '-e --editable --python',
    subcommands = subcommands(NAMED, {
      install = LOCAL, wheel = LOCAL, download = {},
    }),
  },
  pipx = {
    values = '--python --pip-args --index-url --spec --suffix',
    subcommands = subcommands('install uninstall upgrade list', {
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
    subcommands = subcommands(NAMED, {
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
      ['pip install'] = {
        values = '-r --requirement -c --constraint -e --editable -t --target --prefix -p --python',
        reads = '-r --requirement', writes = '-t --target --prefix',
        executes = { 'operands', '-e --editable' },
      },
      add = LOCAL,
      ['pip compile'] = { values = '-o --output-file', writes = '-o --output-file' },
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
    subcommands = subcommands(NAMED, {
      run = { options_first = true, runs = { { how = 'argv' } } },
      add = LOCAL,
    }),
  },
  ['gem bundle bundler'] = {
    values = '-v --version -i --install-dir -n --bindir -s --source -g --file -P --path -j --jobs '
      .. '--gemfile --host -k --key',
    writes = '-i --install-dir -n --bindir',
    subcommands = subcommands(NAMED, {
      exec = { options_first = true, runs = { { how = 'argv' } } },
    }),
  },
  ['composer'] = {
    values = '-d --working-dir',
    cwd = '-d --working-dir',
    subcommands = subcommands(NAMED, {
      exec = { options_first = true, runs = { { how = 'argv' } } },
    }),
  },
  ['twine flit vsce ovsx'] = { subcommands = subcommands 'upload publish' },
  ['apt apt-get aptitude'] = SYSTEM,
  dpkg = {
    values = '--root --instdir',
    reads = 'operands',
    writes = '--root --instdir',
  },
  ['dpkg-deb'] = { reads = 'first', writes = 'second' },
  ['yum dnf microdnf zypper apk pkg tdnf'] = SYSTEM,
}
