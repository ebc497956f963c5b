-- Installing for the whole machine or user, and publishing. A project's dependencies are free.
local looking = require 'looking'
local set = require('word_set').of

-- With these, npm and its like tell what is installed for the whole user.
local LISTS = set 'ls list ll la root bin prefix outdated why view info show help'
-- These install for the whole user, unless they have one of these words.
local INSTALLS = set 'install uninstall inject upgrade self default update-self'
local LOCALLY = {
  '^%-%-path', '^%-%-list$', '^list$', '^show$', '^%-%-local$', '^%-%-dry%-run$', '^outdated$',
}
local USER_OPTIONS = {
  npm = { '^%-%a*g%a*$', '^%-%-global$', '^%-%-location' },
  pip = { '^%-%-user$', '^%-%-break%-system%-packages', '^%-%-root$', '^%-%-root=', '^%-%-prefix' },
}
local OF = { pnpm = 'npm', yarn = 'npm', bun = 'npm', pip2 = 'pip', pip3 = 'pip' }

local function any(command, patterns)
  for at = 2, #command.argv do
    for _, pattern in ipairs(patterns) do
      if command.argv[at]:find(pattern) then
        return true
      end
    end
  end
  return false
end

local function installs_for_user(command)
  local words, program = looking.words(command), command.program:gsub('3%.%d+$', '3')
  local first, second = words[1] or '', words[2] or ''
  local options = USER_OPTIONS[OF[program] or program]
  if options then
    return any(command, options) and not LISTS[first] or program == 'yarn' and first == 'global'
  elseif program == 'uv' then
    return first == 'self' or first == 'tool' and INSTALLS[second] ~= nil
      or first == 'python' and second ~= 'list' and second ~= 'find' and second ~= 'dir'
  elseif program == 'go' then
    return first == 'install' and any(command, { '@' })
  elseif program == 'composer' or program == 'dart' or program == 'flutter' then
    return any(command, { '^global$' })
  end
  for _, word in ipairs(words) do
    if INSTALLS[word] then
      return not any(command, LOCALLY)
    end
  end
  return false
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
      .. 'project, or in a virtual environment.',
    program = {
      'npm', 'pnpm', 'yarn', 'bun', 'composer', 'dart', 'flutter', 'cargo', 'gem', 'pipx',
      'rustup', 'cpanm', 'cpan', 'pear', 'pecl', 'luarocks', 'opam', 'stack', 'cabal', 'dotnet',
      'raco', 'spack', 'uv', 'go', 'pip', 'pip2', 'pip3', 'pip3.*',
    },
    test = installs_for_user,
    match = { 'npm install -g typescript', 'npm i --location=global x', 'yarn global add x' },
    not_match = {
      'npm ci', 'npm root -g', 'yarn add x', 'cargo build', 'cargo install --list', 'uv sync',
      'uv python list', 'go install ./...', 'pip install -r requirements.txt', 'rustup show',
    },
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
    match = { 'npm login', 'pnpm login', 'npm token create', 'cargo owner --add x' },
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
      'hackage', 'dist-tag', 'tag',
    },
    not_argument = {
      '--dry-run', '-n', '--help', 'run', 'test', 'info', 'view', 'install', 'ls', 'list',
    },
    match = { 'npm publish', 'twine upload dist/*', 'mvn deploy', 'npm dist-tag add x@1 latest' },
    not_match = { 'npm publish --dry-run', 'npm run publish', 'docker build .', 'cargo build' },
  },
  {
    id = 'packages.publish_otherwise',
    decision = 'ask',
    reason = 'This publishes for everybody, and cannot be taken back: let a person do it.',
    program = {
      'python', 'python3', 'python3.*', 'np', 'mvn', 'mvnw', 'semantic-release', 'release-it',
    },
    not_argument = { '--dry-run', '-d' },
    test = function(command)
      local line = table.concat(command.argv, ' ') .. ' '
      return line:find ' twine upload ' or line:find 'setup%.py .*upload '
        or line:find ' release:perform '
        or not (command.program:find '^python' or command.program:find '^mvn')
    end,
    match = { 'python3 -m twine upload dist/*', 'npx np', 'mvn release:perform' },
    not_match = { 'python3 setup.py build', 'mvn package', 'semantic-release --dry-run' },
  },
}
