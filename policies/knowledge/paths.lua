-- Classes of paths, which rules refer to. A path can belong to several. Inside the workspace only
-- classes with inside = true and entries that begin with **/ apply; but an entry below the
-- workspace always applies (a workspace that is the home contains ~/.ssh).
local credentials = require 'credentials'

local function joined(...)
  local all = {}
  for _, list in ipairs { ... } do
    for _, entry in ipairs(list) do
      all[#all + 1] = entry
    end
  end
  return all
end

-- Files that other programs execute: shells, sessions, editors, schedulers, services.
local STARTUP = {
  '~/.bashrc', '~/.bash_profile', '~/.bash_login', '~/.bash_logout', '~/.bash_aliases',
  '~/.profile', '~/.inputrc', '~/.zshrc', '~/.zshenv', '~/.zprofile', '~/.zlogin', '~/.zlogout',
  '~/.oh-my-zsh', '~/.config/zsh', '~/.config/fish', '~/.cshrc', '~/.tcshrc', '~/.kshrc',
  '~/.config/direnv', '~/.tmux.conf', '~/.config/tmux', '~/.screenrc', '~/.xprofile', '~/.xinitrc',
  '~/.xsession', '~/.xsessionrc', '~/.pam_environment', '~/.config/autostart', '~/.config/systemd',
  '~/.config/environment.d', '~/.config/plasma-workspace', '~/.local/share/applications',
  '~/.local/share/systemd', '~/.local/share/dbus-1', '~/.ssh/authorized_keys',
  '~/.ssh/authorized_keys2', '~/.ssh/config', '~/.ssh/rc', '~/.gitconfig', '~/.config/git',
  '~/.git-templates', '~/.gdbinit', '~/.lldbinit', '~/.vimrc', '~/.vim', '~/.config/nvim',
  '~/.emacs', '~/.emacs.d', '~/.config/emacs', '~/.nanorc', '~/.config/Code/User/settings.json',
  '~/.config/Code/User/tasks.json', '~/.vscode/extensions', '~/.cargo/env', '~/.cargo/config.toml',
  '~/.config/pip', '~/.pip', '~/.npmrc', '~/.curlrc', '~/.wgetrc', '~/.pythonrc', '~/.pdbrc',
  '~/.irbrc', '~/.psqlrc', '~/.Rprofile', '~/.mailcap', '~/.claude/settings.json',
  '~/.claude/hooks', '~/.codex/config.toml', '~/.gemini/settings.json', '~/.config/gibbous',
  '~/Library/LaunchAgents', '/Library/LaunchAgents', '/Library/LaunchDaemons', '/etc/profile',
  '/etc/profile.d', '/etc/bash.bashrc', '/etc/bashrc', '/etc/zsh', '/etc/zshrc', '/etc/environment',
  '/etc/ld.so.preload', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/cron.d', '/etc/cron.hourly',
  '/etc/cron.daily', '/etc/cron.weekly', '/etc/cron.monthly', '/etc/crontab', '/etc/anacrontab',
  '/var/spool/cron', '/var/spool/at', '/etc/rc.local', '/etc/init.d', '/etc/rc.d', '/etc/inittab',
  '/etc/systemd', '/usr/lib/systemd', '/lib/systemd', '/run/systemd/system', '/etc/udev',
  '/etc/pam.d', '/etc/security', '/etc/xdg/autostart', '/etc/NetworkManager/dispatcher.d',
  '/etc/apt/apt.conf.d', '/etc/update-motd.d', '/etc/gitconfig', '/root/.bashrc', '/root/.profile',
  '/root/.ssh', '/root/.zshrc',
}

-- Below ~/.cache and ~/Library/Caches, and elsewhere in the home.
local PACKAGE_CACHES = {
  '~/.npm/_cacache', '~/.npm/_npx', '~/.npm/_logs', '~/.yarn/cache', '~/.yarn/berry/cache',
  '~/.bun/install/cache', '~/.pnpm-store', '~/.local/share/pnpm/store', '~/.cargo/registry/cache',
  '~/.cargo/registry/src', '~/.cargo/registry/index', '~/.cargo/git/db', '~/.cargo/git/checkouts',
  '~/.gradle/caches', '~/.gradle/daemon', '~/.gradle/wrapper/dists', '~/.m2/repository',
  '~/.ivy2/cache', '~/.sbt/boot', '~/.nuget/packages', '~/.composer/cache', '~/.bundle/cache',
  '~/go/pkg/mod', '~/.pub-cache', '~/.cocoapods/repos', '~/.terraform.d/plugin-cache', '~/.ccache',
  '~/.hex/packages', '~/.conan2/p', '~/.conan/data', '~/.stack/pooled', '~/.cabal/packages',
  '~/.node-gyp', '~/.electron-gyp', '~/.expo/cache', '~/.android/build-cache', '~/.sonar/cache',
}
for name in ([[pip uv pypoetry pipenv pdm hatch yarn npm pnpm node
  node-gyp corepack deno bun go-build
  golangci-lint pre-commit ms-playwright Cypress puppeteer electron electron-builder typescript
  turbo
  bazel bazelisk ccache sccache zig composer vcpkg mypy ruff black pytest rebar3 mix cabal stack
  coursier ivy maven gradle nuget helm trivy Homebrew act buildx prisma next jest eslint virtualenv
  ms-playwright-go black-primer pylint nvim-treesitter clangd jdtls rust-analyzer gopls
  org.swift.swiftpm CocoaPods com.apple.dt.Xcode]]):gmatch('%S+') do
  PACKAGE_CACHES[#PACKAGE_CACHES + 1] = '~/.cache/' .. name
  PACKAGE_CACHES[#PACKAGE_CACHES + 1] = '~/Library/Caches/' .. name
end

-- Sockets through which a program outside takes commands.
local SOCKETS = {
  '/var/run/docker.sock', '/run/docker.sock', '/run/podman', '/run/containerd', '/run/crio',
  '/run/dbus/system_bus_socket', '/run/systemd/private', '/run/libvirt', '/run/snapd.socket',
  '/var/lib/lxd/unix.socket', '/var/lib/incus/unix.socket',
}

return {
  {
    -- The machine's own directories, except the home directory, which may be /root: an exact entry
    -- would count for all below it.
    name = 'system',
    entries = {
      '/bin', '/boot', '/efi', '/etc', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/proc',
      '/run', '/sbin', '/srv', '/sys', '/usr', '/var', '/roo[t]', '/nix', '/snap', '/System',
      '/Library', '/Applications', '/private', '/cores', '/initrd.img', '/vmlinuz', '/lost+found',
      '!/var/tmp', '!/private/tmp', '!/private/var/tmp', '!/private/var/folders', '!/proc/self',
      '!/run/user', '!/var/folders', '!~',
    },
  },
  {
    -- Exactly these paths: removing or changing one of them destroys the machine.
    name = 'system_root',
    entries = {
      '=/', '=/bin', '=/boot', '=/dev', '=/etc', '=/home', '=/lib', '=/lib32', '=/lib64', '=/media',
      '=/mnt', '=/opt', '=/proc', '=/root', '=/run', '=/sbin', '=/srv', '=/sys', '=/usr',
      '=/usr/bin', '=/usr/lib', '=/usr/lib64', '=/usr/local', '=/usr/local/bin', '=/usr/local/lib',
      '=/usr/sbin', '=/usr/share', '=/var', '=/var/lib', '=/var/log', '=/Users',
      '=/System', '=/Library', '=/Applications', '=/Volumes', '=/private',
    },
  },
  { name = 'home', entries = { '=~', '=/home/*', '=/Users/*' } },
  {
    -- Disks, memory and other hardware.
    name = 'device',
    entries = {
      '/dev', '/proc/sysrq-trigger', '/proc/kcore', '/proc/kmem',
      '!/dev/null', '!/dev/zero', '!/dev/full', '!/dev/random', '!/dev/urandom', '!/dev/tty',
      '!/dev/std*', '!/dev/f[d]', '!/dev/shm', '!/dev/pts',
      '!/dev/ptmx', '!/dev/tcp', '!/dev/udp', '!/dev/console',
      '!/dev/log', '!/dev/mqueue',
    },
  },
  {
    -- Writing to these devices changes nothing.
    name = 'harmless_device',
    entries = {
      '/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty',
      '/dev/std*', '/dev/f[d]', '/dev/console', '/proc/self/fd',
    },
  },
  { name = 'serial_port', entries = { '/dev/ttyUSB*', '/dev/ttyACM*' } },
  { name = 'network_device', entries = { '/dev/tcp', '/dev/udp' } },
  {
    name = 'credential',
    named = true,
    entries = joined(credentials, {
      '/proc/*/environ', '!/proc/self/environ', '!/proc/thread-self/environ',
      '/proc/*/mem', '/home/*/.ssh', '/home/*/.aws',
      '/home/*/.gnupg', '/home/*/.netrc', '/home/*/.config/gh', '/home/*/.kube',
      '/home/*/.git-credentials', '/root/.ssh', '/root/.aws', '/root/.gnupg', '/root/.kube',
      '/Users/*/.ssh', '/Users/*/.aws', '/Users/*/Library/Keychains', '/Library/Keychains',
      '/etc/master.passwd', '/var/lib/docker/secrets',
    }),
  },
  { name = 'credential_shape', entries = credentials.shapes },
  {
    -- What is in the environment of a process, with the secrets of a session.
    name = 'environment',
    named = true,
    entries = {
      '/proc/*/environ', '/proc/*/task/*/environ', '/proc/self/environ',
      '/proc/thread-self/environ', '/proc/1/environ',
    },
  },
  {
    -- In patterns as well, so that ~/.ssh/* still counts as keys.
    name = 'public_key',
    entries = {
      '~/.ssh/*.pub', '~/.ssh/known_hosts*', '~/.ssh/confi[g]', '/home/*/.ssh/*.pub',
      '/root/.ssh/*.pub',
    },
  },
  -- Gibbous's own: what it remembers, and its configuration;
  { name = 'own_state', named = true, entries = { '$STATE', '$CONFIG', '~/.local/state/gibbous' } },
  -- what decides.
  {
    name = 'own_rules',
    entries = { '$SCRIPTS', '$POLICIES', '~/.config/gibbous', '/etc/gibbous' },
  },
  -- Files of the workspace that often hold secrets: reading them needs approval.
  {
    name = 'secret',
    inside = true,
    named = true,
    entries = {
      '**/.env', '**/.env.local', '**/.env.production', '**/.env.prod', '**/.env.staging',
      '**/.env.development.local', '**/.env.production.local', '**/.netrc', '**/.pypirc',
      '**/.git-credentials', '**/.htpasswd', '**/id_rsa', '**/id_ed25519', '**/id_ecdsa',
      '**/credentials.json', '**/service-account.json', '**/secrets.yml', '**/secrets.yaml',
      '**/secrets.json', '**/*.p12', '**/*.pfx', '**/*.keystore', '**/*.jks', '**/*.kdbx',
      '**/*.tfstate', '**/*.tfstate.backup', '**/.docker/config.json', '**/.kube/config',
      '**/private.pem', '**/private.key', '**/.aws', '**/.ssh', '**/.gnupg', '**/.vault-token',
    },
  },
  { name = 'startup', entries = STARTUP },
  {
    -- Files of the workspace that other programs execute or obey: hooks, tasks of editors, settings
    -- of agents.
    name = 'protected',
    inside = true,
    entries = {
      '**/.git/hooks', '**/.git/config', '**/.git/config.worktree', '**/.git/info/attributes',
      '**/.git/commondir', '**/.git/worktrees',
      '**/.git/modules', '**/.git/HEAD', '**/.git/index', '**/.git/refs', '**/.git/objects',
      '**/.husky', '**/.claude', '**/.codex', '**/.gemini', '**/.cursor', '**/.opencode',
      '**/.mcp.json', '**/.vscode/tasks.json', '**/.vscode/settings.json', '**/.vscode/launch.json',
      '**/.idea/runConfigurations', '**/.envrc', '**/.direnvrc', '**/.tool-versions',
      '**/.devcontainer', '**/.npmrc', '**/.yarnrc.yml', '**/.gitmodules',
      '**/.pre-commit-config.yaml', '**/.gibbous',
    },
  },
  {
    -- Repositories that sandboxed runs have made, and those where they have changed what git
    -- obeys (configuration, hooks, the steps of a rebase): no person has seen that.
    name = 'changed_by_runs',
    inside = true,
    named = true,
    entered = true,
    entries = { '$CHANGED_BY_RUNS' },
  },
  {
    -- Where runs make what they like, caches among them. Repositories are not looked for there.
    name = 'made_by_runs',
    entered = true,
    entries = {
      '$TMP', '/tmp', '/var/tmp', '/dev/shm', '/run/user', '~/.cache', '~/.npm', '~/.yarn',
      '~/.cargo/registry', '~/.cargo/git', '~/go/pkg', unpack(PACKAGE_CACHES),
    },
  },
  {
    -- The repository itself: without it nothing can be restored.
    name = 'repository',
    inside = true,
    entries = { '=**/.git', '**/.git/objects', '**/.git/refs', '**/.git/HEAD' },
  },
  { name = 'socket', entries = SOCKETS },
  {
    name = 'temp',
    entries = {
      '$TMP', '/private/tmp', '/private/var/tmp', '/private/var/folders', '/var/folders',
      '/dev/shm', '!/tmp/.X11-unix', '!/tmp/.ICE-unix',
    },
  },
  {
    -- What package managers and compilers can fetch or make again.
    name = 'package_cache',
    entries = PACKAGE_CACHES,
  },
  -- What a sandbox changes for its session alone.
  { name = 'settings', entries = require('sandbox').LAYERED },
  { name = 'temp_root', entries = { '=/tmp', '=/var/tmp', '=/private/tmp', '=/dev/shm' } },
  {
    -- Where programs are installed: programs in these directories may run.
    name = 'programs',
    entries = {
      '/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/usr/games',
      '/usr/lib', '/usr/libexec', '/usr/local/lib', '/usr/local/go', '/usr/local/cuda',
      '/usr/share', '/lib', '/lib64', '/opt', '/snap/bin', '/nix/store', '/run/current-system',
      '/Applications', '/Library/Developer', '/System', '~/.local/bin', '~/.local/share',
      '~/.local/lib', '~/.cargo/bin', '~/.cargo/env', '~/.rustup', '~/go/bin',
      '~/.go', '~/.npm-global', '~/.npm',
      '~/.nvm', '~/.fnm', '~/.volta', '~/.bun', '~/.deno', '~/.pyenv', '~/.rbenv', '~/.rvm',
      '~/.asdf', '~/.sdkman', '~/.virtualenvs', '~/miniconda3', '~/anaconda3', '~/miniforge3',
      '~/.dotnet', '~/.poetry', '~/.gem', '~/.opam', '~/.ghcup', '~/.stack', '~/.yarn', '~/.pnpm',
      '~/.foundry/bin', '~/.composer/vendor/bin', '~/bin', '~/.cache/pypoetry', '~/.krew',
      '~/.linuxbrew', '/home/linuxbrew',
    },
  },
}
