-- Installing for the whole machine or user, and publishing. A project's dependencies are free.
-- With these, npm and its like tell what is installed for the whole user.
local LISTS = {}
for name in ([[ls list ll la root bin prefix outdated why view info show help]]):gmatch('%S+') do
  LISTS[name] = true
end

return {
  {
    id = 'packages.system',
    decision = 'ask',
    reason = 'This changes what is installed on the machine, for everybody: use a package of the '
      .. 'project, or let a person install it.',
    program = 'apt apt-get aptitude yum dnf microdnf zypper apk pkg tdnf',
    subcommand = 'install remove purge autoremove update upgrade full-upgrade dist-upgrade '
      .. 'reinstall erase downgrade groupinstall localinstall build-dep add del fix in rm up '
      .. 'dup edit-sources clean autoclean',
    match = { 'sudo apt-get install -y jq', 'apt update', 'dnf remove x', 'apk add curl' },
    not_match = { 'apt list --installed', 'apt-get download x', 'apt search x' },
  },
  {
    id = 'packages.system_files',
    decision = 'ask',
    reason = 'This changes what is installed on the machine, for everybody: let a person install '
      .. 'it.',
    program = 'dpkg rpm pacman yay paru',
    flags = '-i --install -r --remove -P --purge --configure --unpack -U --upgrade -e --erase -F '
      .. '--freshen -S --sync -R',
    without_flags = '-q --query -l --list -L --listfiles -s --search --status -Q',
    test = function(command)
      -- It looks for the package of a file.
      return command.program ~= 'dpkg' or command.argv[2] ~= '-S'
    end,
    match = { 'sudo dpkg -i x.deb', 'pacman -S jq', 'rpm -e x' },
    not_match = { 'dpkg -l', 'dpkg -S /bin/ls', 'rpm -qa', 'pacman -Qi jq', 'pacman -Ss jq' },
  },
  {
    id = 'packages.managers',
    decision = 'ask',
    reason = 'This changes what is installed on the machine: use a package of the project, or '
      .. 'let a person install it.',
    program = 'snap flatpak brew port emerge xbps-install nix-env winget choco scoop mas guix',
    argument = {
      'install', 'remove', 'uninstall', 'reinstall', 'refresh', 'upgrade', 'update', 'tap', 'untap',
      'link', 'unlink', 'cleanup', 'services', 'pin', 'cask', '-i', '-iA', '-e', '--install',
      '--uninstall',
    },
    match = { 'brew install jq', 'snap install x', 'brew services start postgresql' },
    not_match = { 'brew list', 'brew info jq' },
  },
  {
    id = 'packages.global',
    decision = 'ask',
    reason = 'This installs for the whole user or machine: install it as a dependency of the '
      .. 'project.',
    program = 'npm pnpm yarn bun',
    flags = '-g --global --location',
    test = function(command)
      return not LISTS[command.subcommand]
    end,
    match = { 'npm install -g typescript', 'pnpm add --global x', 'npm i --location=global x' },
    not_match = { 'npm install', 'npm ci', 'yarn add -D x', 'npm root -g', 'npm ls --global' },
  },
  {
    id = 'packages.yarn_global',
    decision = 'ask',
    reason = 'This installs for the whole user: install it as a dependency of the project.',
    program = 'yarn composer dart flutter',
    argument = { 'global' },
    match = { 'yarn global add x', 'composer global require x' },
    not_match = { 'yarn add x' },
  },
  {
    id = 'packages.tools',
    decision = 'ask',
    reason = 'This installs a program for the whole user: add it to the project, or let a person '
      .. 'install it.',
    program = 'cargo gem pipx rustup cpanm cpan pear pecl luarocks opam stack cabal dotnet raco '
      .. 'spack',
    argument = { 'install', 'uninstall', 'inject', 'upgrade', 'self', 'default', 'update-self' },
    not_argument = {
      '--path=*', '--path', '--list', 'list', 'show', '--local', '--dry-run', 'outdated',
    },
    match = {
      'cargo install ripgrep', 'gem install rails', 'pipx install black', 'rustup default nightly',
    },
    not_match = { 'cargo build', 'rustup show', 'cargo install --list', 'bundle install' },
  },
  {
    id = 'packages.tools_uv',
    decision = 'ask',
    reason = 'This installs a program for the whole user: add it to the project.',
    program = 'uv',
    subcommand = { 'tool install', 'tool uninstall', 'tool upgrade', 'self', 'python' },
    test = function(command)
      local verb = command.subcommand == 'python' and command.argv[command.operands[1]]
      return verb ~= 'list' and verb ~= 'find' and verb ~= 'dir'
    end,
    match = { 'uv tool install ruff', 'uv python install 3.13' },
    not_match = { 'uv sync', 'uv add httpx', 'uv run pytest', 'uv python list', 'uv tool list' },
  },
  {
    id = 'packages.go_tools',
    decision = 'ask',
    reason = 'This installs a program for the whole user: use go run, or go get -tool.',
    program = 'go',
    subcommand = 'install',
    operand = { '*@*' },
    match = { 'go install example.com/tool@latest' },
    not_match = { 'go install ./...', 'go get example.com/lib@v1.2.3' },
  },
  {
    id = 'packages.pip_system',
    decision = 'ask',
    reason = 'This installs into the Python of the user or the machine: use a virtual environment.',
    program = { 'pip', 'pip3', 'pip3.*', 'pip2' },
    flags = '--user --break-system-packages --root --prefix',
    match = { 'pip install --user x', 'pip install --break-system-packages x' },
    not_match = { 'pip install -r requirements.txt', 'pip install -e .' },
  },
  {
    id = 'packages.account',
    decision = 'ask',
    reason = 'This changes accounts or tokens at a registry: a person does that.',
    program = 'npm pnpm yarn cargo gem docker podman helm',
    subcommand = {
      'login', 'logout', 'adduser', 'token', 'owner', 'access', 'profile', 'org', 'team', 'signin',
      'hook', 'registry',
    },
    match = {
      'npm login', 'pnpm login', 'npm token create', 'cargo owner --add x', 'docker login',
    },
    not_match = { 'npm whoami' },
  },
  {
    id = 'packages.publish',
    decision = 'ask',
    reason = 'This publishes for all users, and cannot be undone: let a person do it, or add '
      .. '--dry-run.',
    program = 'npm pnpm yarn bun cargo gem poetry uv twine flit hatch pdm dotnet docker podman '
      .. 'helm vsce ovsx deno dart flutter lerna mvn mvnw gradle gradlew pod mix rebar3 nuget '
      .. 'conan sbt docker-compose buildah skopeo crane cosign expo eas fastlane stack cabal '
      .. 'changeset semantic-release release-it',
    argument = {
      'publish', 'unpublish', 'deprecate', 'yank', 'upload', 'deploy', 'trunk', 'push',
      'hex.publish', ':publish', '*:publish', 'release', 'publishToMavenCentral', 'uploadArchives',
      'hackage',
    },
    not_argument = { '--dry-run', '-n', '--help', 'run', 'test', 'info', 'view', 'add', 'install' },
    match = {
      'npm publish', 'cargo publish', 'twine upload dist/*', 'docker push x/y', 'gem push x.gem',
      'uv publish', 'mvn deploy',
    },
    not_match = { 'npm publish --dry-run', 'npm run publish', 'docker build .', 'cargo build' },
  },
  {
    id = 'packages.tags',
    decision = 'ask',
    reason = 'This changes which version everybody gets: let a person do it.',
    program = 'npm pnpm yarn',
    argument = { 'dist-tag', 'tag' },
    not_argument = { 'ls', 'list' },
    match = { 'npm dist-tag add x@1 latest' },
    not_match = { 'npm dist-tag ls' },
  },
  {
    id = 'packages.publish_tools',
    decision = 'ask',
    reason = 'This publishes for everybody, and cannot be taken back: let a person do it.',
    program = 'semantic-release release-it',
    without_flags = '--dry-run -d',
    match = { 'npx semantic-release', 'release-it minor' },
    not_match = { 'semantic-release --dry-run' },
  },
  {
    id = 'packages.make_install',
    decision = 'ask',
    reason = 'This installs into the machine: pass DESTDIR or a prefix in the workspace, or run '
      .. 'it from the build directory.',
    program = 'make gmake ninja meson scons waf just rake',
    operand = { 'install', 'install-*', 'uninstall', 'install/*' },
    not_argument = { '-n', '--dry-run', '--just-print' },
    test = function(command)
      for at = 2, #command.argv do
        local word = command.argv[at]
        local target = word:match('^DESTDIR=(.*)$') or word:match('^[Pp][Rr][Ee][Ff][Ii][Xx]=(.*)$')
          or word:match('^%-%-destdir[= ]?(.*)$')
        if target then
          return target == '' or target == '/' or target:find('^/usr') ~= nil
            or target:find('^/opt') ~= nil or target:find('^~') ~= nil
            or target:find('^%$HOME') ~= nil or target:find('^%.%.') ~= nil
        end
      end
      return true
    end,
    match = {
      'make install', 'make -C build install', 'ninja -C build install', 'make DESTDIR=/ install',
      'make PREFIX=/usr/local install',
    },
    not_match = { 'make', 'make DESTDIR=out install', 'make test' },
  },
  {
    id = 'packages.meson_install',
    decision = 'ask',
    reason = 'This installs into the machine: pass --destdir with a directory of the workspace.',
    program = 'meson',
    subcommand = 'install',
    without_flags = '--destdir -n --dry-run',
    match = { 'meson install -C build' },
    not_match = { 'meson install --destdir out', 'meson compile -C build' },
  },
  {
    id = 'packages.cmake_install',
    decision = 'ask',
    reason = 'This installs into the machine: pass --prefix with a directory of the workspace.',
    program = 'cmake',
    flags = '--install',
    without_flags = '--prefix',
    match = { 'cmake --install build' },
    not_match = { 'cmake --install build --prefix out', 'cmake --build build' },
  },
  {
    id = 'packages.publish_otherwise',
    decision = 'ask',
    reason = 'This publishes for everybody, and cannot be taken back: let a person do it.',
    program = { 'python', 'python3', 'python3.*', 'np', 'docker', 'podman', 'mvn', 'mvnw' },
    test = function(command)
      local line = table.concat(command.argv, ' ') .. ' '
      return command.program == 'np' or line:find(' twine upload ', 1, true) ~= nil
        or line:find('setup%.py .*upload ') ~= nil or line:find(' release:perform ', 1, true) ~= nil
        or command.program:find('^mvn') == nil and line:find(' build .*%-%-push ') ~= nil
    end,
    match = {
      'python3 -m twine upload dist/*', 'npx np', 'docker buildx build --push .',
      'python setup.py sdist upload', 'mvn release:perform',
    },
    not_match = { 'docker buildx build .', 'python3 setup.py build', 'mvn package' },
  },
}
