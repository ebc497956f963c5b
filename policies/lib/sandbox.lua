-- Sandbox profiles as data, and the choice of one for a run. The keeper enforces them beneath every
-- rule, with Landlock and seccomp, and with a mount namespace where the machine allows one.
--
-- Paths begin with '/', '~/' or a variable: $WORKSPACE, $HOME, $TMP (/tmp, /var/tmp and $TMPDIR),
-- $RUNTIME ($XDG_RUNTIME_DIR), $SSH_AUTH_SOCK, $TMUX (the user's tmux sockets), $SOCKET_DIRS (those
-- of editors), $SOCKETS (what variables such as DOCKER_HOST name), $SCRIPTS,
-- $POLICIES, $CONFIG and $STATE (Gibbous's own), and, for a workspace that is a linked git
-- worktree, $GIT_LINK, $GIT_WORKTREE and $GIT_COMMON. $GIT_DIRS are the directories of the
-- workspace's repository, of its submodules and worktrees, and of the repositories below it;
-- $OTHER_HOMES are those of other users, for a run as root;
-- $GIT_NESTED are the .git directories of those, and $GIT_LINK has their .git files. $CACHES are
-- where package managers and compilers keep data (`caches` of the configuration), and $PATH what is
-- outside of the workspace of that variable. What does not exist on a machine is skipped, but for
-- what is layered.
local credentials = require 'credentials'
local set = require('word_set').of

local M = {}

-- Sockets through which a program outside takes commands. All of $RUNTIME is one: the session bus
-- and the user's systemd start programs, agents sign, terminals and editors take commands.
local SOCKETS = {
  '$SSH_AUTH_SOCK', '$RUNTIME', '/run/user', '/run/dbus/system_bus_socket', '/run/systemd/private',
  '/tmp/.X11-unix', '/tmp/.ICE-unix', '/run/pcscd',
  '/run/docker.sock', '/run/podman', '/run/containerd', '/run/crio', '/run/buildkit', '/run/k3s',
  '/run/libvirt', '/run/incus', '/var/lib/incus/unix.socket', '/var/lib/lxd/unix.socket',
  '/var/snap/lxd/common/lxd/unix.socket', '/run/snapd.socket',
  '/run/WSL', '/mnt/wslg', -- start Windows programs
  '/run/screen', '/tmp/emacs0', '/tmp/emacs1000', '$SOCKETS',
  '$TMUX/', '$SOCKET_DIRS/', -- made where there is none, so that they are hidden from the beginning
}

-- Files that other programs execute: shells, sessions, editors, git and Gibbous. They matter only
-- where the run may write, such as in a workspace that is the home.
local EXECUTED = {
  '~/.bashrc', '~/.bash_profile', '~/.bash_login', '~/.bash_logout', '~/.bash_aliases',
  '~/.profile', '~/.zshrc', '~/.zshenv', '~/.zprofile', '~/.zlogin', '~/.zlogout', '~/.oh-my-zsh',
  '~/.config/zsh', '~/.config/fish', '~/.config/direnv', '~/.tmux.conf', '~/.config/tmux',
  '~/.xprofile', '~/.xinitrc', '~/.xsession', '~/.xsessionrc', '~/.pam_environment',
  '~/.config/autostart', '~/.config/systemd', '~/.config/environment.d',
  '~/.local/share/applications', '~/.local/share/systemd', '~/.local/share/dbus-1',
  '~/bin', '~/.local/bin', '~/.cargo/env', '~/.cargo/config.toml', '~/.gdbinit',
  '~/.gitconfig', '~/.config/git', '~/.vimrc', '~/.vim', '~/.config/nvim', '~/.emacs',
  '~/.emacs.d', '~/.config/emacs',
  '$GIT_LINK', '$GIT_DIRS/config', '$GIT_DIRS/config.worktree', '$GIT_DIRS/gitdir',
  '$GIT_WORKTREE/config.worktree', '$GIT_WORKTREE/commondir', '$GIT_WORKTREE/gitdir',
  '$GIT_DIRS/info/attributes', '$GIT_DIRS/info/exclude', '$GIT_DIRS/objects/info/alternates',
  '$SCRIPTS', '$POLICIES', '$CONFIG',
  '$PATH', '~/go/bin', '~/.cargo/bin', '~/.rustup', '~/.pyenv', '~/.nvm', '~/.volta', '~/.sdkman',
  '~/.asdf', '~/.local/share/mise',
}

-- Settings, what programs remember, and caches: a run changes them for its session alone, because
-- programs outside obey or run what is here, or may do so. Toolchains are not among them: a run
-- that would change one is told so. Those with '/' at the end only if they exist.
local LAYERED = {
  '~/.config', '~/.local/share', '~/.local/state', '~/.mozilla', '~/.cache', '~/.npm', '~/.m2',
  '~/.gradle', '~/.cargo/registry', '~/go/pkg',
  '~/.cargo/git/', '~/.pki/', '~/.ipython/', '~/.jupyter/', '~/.node-gyp/', '~/.yarn/',
  '~/.bun/install/', '~/.deno/', '~/.ivy2/', '~/.sbt/', '~/.nuget/', '~/.gem/', '~/.bundle/',
  '~/.composer/', '~/.stack/', '~/.mix/', '~/.hex/', '~/.pub-cache/', '~/.conan/', '~/.conan2/',
}

M.LAYERED = LAYERED

-- Names in a repository that git obeys, and that are absent as a rule. A commondir that says "."
-- and empty hooks change nothing.
local OCCUPIED = { '$GIT_DIRS/commondir', '$GIT_DIRS/hooks/' }

-- What Gibbous remembers: other sessions' output, decisions and approvals.
local OWN = { '$STATE', '$CONFIG' }
local DECIDING = { '$STATE', '$CONFIG', '$SCRIPTS', '$POLICIES' }

-- Directories of which a part is visible: nothing comes into them.
for _, path in ipairs(credentials.visible) do
  local around = path:match '^(~/[^*]+)/[^/]*$'
  EXECUTED[#EXECUTED + 1] = around
end

local UNREADABLE = {}
for _, list in ipairs { credentials, credentials.shapes, { '$OTHER_HOMES' }, SOCKETS, OWN } do
  for _, path in ipairs(list) do
    UNREADABLE[#UNREADABLE + 1] = path
  end
end

-- A verdict's sandbox is `like` one of these: the core adds what it leaves out. `rank`: of several
-- requested profiles, the one with the highest rank applies. `temporary`: 'session' gives the runs
-- of a session /tmp, /var/tmp, /dev/shm and /run/user of their own; else they have those of the
-- machine. `copied`: what a run changes in `write` is thrown away. `network`: the loosest that it
-- has.
M.PROFILES = {
  none = { rank = 0, read = { '/' }, write = { '/' } },
  workspace = {
    rank = 10,
    read = { '/' },
    write = { '$WORKSPACE', '$TMP', '$GIT_COMMON' },
    unreadable = UNREADABLE,
    visible = credentials.visible,
    views = credentials.views,
    unwritable = EXECUTED,
    pinned = { '$WORKSPACE/.git', '$GIT_WORKTREE', '$GIT_NESTED' },
    occupied = OCCUPIED,
    temporary = 'session',
  },
  readonly = {
    rank = 20, read = { '/' }, write = {}, unreadable = UNREADABLE, temporary = 'session',
    visible = credentials.visible, views = credentials.views,
  },
}

local function with(profile, changes)
  local made = {}
  for name, value in pairs(profile) do
    made[name] = value
  end
  for name, value in pairs(changes) do
    made[name] = value
  end
  return made
end

-- Databases of this machine, which a network of the session's own does not keep away.
local DAEMONS = {
  '/run/postgresql', '/run/mysqld', '/run/mariadb', '/run/redis', '/run/memcached', '/run/mongodb',
  '/var/lib/mysql/mysql.sock', '/run/php', '/run/fail2ban', '/run/supervisor.sock', '/run/uwsgi',
}

-- A run that no rule speaks of, and a build: as `workspace`, with the network that is asked for.
M.PROFILES.confined = with(M.PROFILES.workspace, {
  rank = 15, unreadable = { unpack(UNREADABLE) }, layered = { '$CACHES', unpack(LAYERED) },
})
for _, path in ipairs(DAEMONS) do
  table.insert(M.PROFILES.confined.unreadable, path)
end
M.PROFILES.build = with(M.PROFILES.workspace, {
  rank = 12, write = { '$WORKSPACE', '$TMP', '$GIT_COMMON', '$CACHES' }, layered = LAYERED,
  network = 'checked',
})

-- For looking and trying: nothing that it changes stays, so that nothing in the copy needs
-- protection.
M.PROFILES.plan = with(M.PROFILES.confined, {
  rank = 18, copied = true, unwritable = {}, pinned = {}, occupied = {},
})

-- What git has outside: keys, agents and the network, and the workspace to write. Links that a run
-- has left in a repository lead nowhere else.
local FETCHES = {
  '~/.ssh', '~/.netrc', '~/.git-credentials', '~/.git-credential-cache', '~/.cache/git/credential',
  '~/.config/git/credentials', '~/.config/gh', '~/.config/glab-cli', '~/.gnupg', '$SSH_AUTH_SOCK',
  '$RUNTIME', '/run/user', '/run/dbus/system_bus_socket',
}
local function without_those(list, left_out)
  local is_out, left = set(table.concat(left_out, ' ')), {}
  for _, path in ipairs(list) do
    left[#left + 1] = not is_out[path] and path or nil
  end
  return left
end
M.PROFILES.fetch = with(M.PROFILES.workspace, {
  rank = 5, unreadable = without_those(UNREADABLE, FETCHES), visible = FETCHES,
  unwritable = without_those(EXECUTED, { '$GIT_DIRS/config', '$GIT_DIRS/config.worktree' }),
})

local NETWORKS = { on = 0, checked = 1, loopback = 2, off = 3 }

local function profile_names()
  local names = {}
  for name in pairs(M.PROFILES) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- Checks the request of a mode or a caller and raises an error for what is wrong.
---
--- Example: `sandbox.check({ profile = 'workspace', network = 'off' }, 'mode auto')`
---@param request SandboxRequest
---@param owner string for the message
function M.check(request, owner)
  schema.check(request, schema.sandbox { profiles = profile_names() }, owner .. ': sandbox')
end

-- Returns the ports that are in both lists; all of the other one's where there is no first.
local function common(first, second)
  local both = {}
  for _, port in ipairs(second) do
    local found = first == nil
    for _, each in ipairs(first or {}) do
      found = found or each == port
    end
    both[#both + 1] = found and port or nil
  end
  return both
end

local function joined(first, second)
  local all = {}
  for _, list in ipairs { first, second } do
    for _, each in ipairs(list) do
      all[#all + 1] = each
    end
  end
  return all
end

-- True if `path` is `directory` or below it, as both are written.
local function is_within(path, directory)
  directory = directory:gsub('/+$', '')
  return path == directory or path:sub(1, #directory + 1) == directory .. '/'
end

-- Returns what a path of a profile stands for on this machine: its variable's places.
local function expanded(path, places)
  local name, rest = path:match '^%$([%u_]+)(.*)$'
  if not name then
    return { path }
  end
  local all = {}
  for _, place in ipairs((places or {})[name] or {}) do
    all[#all + 1] = place .. rest
  end
  return all
end

--- Returns the wish of `allow` that would open what no run may see: what Gibbous keeps. Approvals
--- and the output of other sessions are there, so that no person can open it for a run either. Nor
--- can scripts and policies be changed in this way, which decide about runs.
---
--- Example: `sandbox.never_shown({ 'read:/s/gibbous' }, { STATE = { '/s/gibbous' } })`
---@param wishes string[]
---@param places? table<string, string[]> of this machine, by variable
---@return string?
function M.never_shown(wishes, places)
  for _, wish in ipairs(wishes) do
    local path = wish:match '^%a+:(.+)$'
    for _, own in ipairs(path and (wish:find '^write' and DECIDING or OWN) or {}) do
      for _, place in ipairs(expanded(own, places)) do
        if is_within(path, place) then
          return wish
        end
      end
    end
  end
end

-- Returns the hidden paths without those that hold one of `shown`.
local function without(hidden, shown, places)
  local left = {}
  for _, path in ipairs(hidden) do
    local opened = false
    for _, place in ipairs(#shown > 0 and expanded(path, places) or {}) do
      for _, each in ipairs(shown) do
        opened = opened or is_within(each, place)
      end
    end
    left[#left + 1] = not opened and path or nil
  end
  return left
end

--- Returns the strictest of the requests of the mode, the configuration and the caller: the name of
--- its profile, and what differs from that; nil when none of them requests anything.
---
--- Example: `sandbox.strictest({ { profile = 'readonly' }, { network = 'off' } }).network` is 'off'
---@param requests SandboxRequest[]
---@param grants? { read: string[], write: string[], port: integer[] } paths and ports beyond the
---profiles `confined` and `build`; another one that was chosen gives nothing away
---@param places? table<string, string[]> what the variables of hidden paths stand for
---@return Sandbox?
function M.strictest(requests, grants, places)
  local chosen, network, abi = 'none', 'on', 0
  local ports
  for _, request in ipairs(requests) do
    local profile = request.profile or 'none'
    if not M.PROFILES[profile] then
      M.check(request, 'start')
    end
    if M.PROFILES[profile].rank > M.PROFILES[chosen].rank then
      chosen = profile
    end
    if request.network and NETWORKS[request.network] > NETWORKS[network] then
      network = request.network
    end
    if (request.network or 'on') ~= 'on' or request.host_ports then
      ports = common(ports, request.host_ports or {})
    end
    abi = math.max(abi, request.min_landlock_abi or 0)
  end
  local loosest = M.PROFILES[chosen].network or 'on'
  network = NETWORKS[loosest] > NETWORKS[network] and loosest or network
  if chosen == 'none' and network == 'on' and abi == 0 then
    return nil
  end
  local whole = {
    profile = chosen, like = chosen, network = network, min_landlock_abi = abi,
    host_ports = (network == 'loopback' or network == 'checked') and ports or nil,
  }
  if grants and (chosen == 'confined' or chosen == 'build') then
    local leads = network ~= 'off' and #grants.port > 0
    whole.host_ports = leads and joined(whole.host_ports or {}, grants.port) or whole.host_ports
    local profile = M.PROFILES[chosen]
    whole.write = joined(profile.write, grants.write)
    whole.opened = grants.write
    whole.unreadable = without(profile.unreadable, grants.read, places)
    whole.visible = joined(profile.visible, grants.read)
  end
  return whole
end

return M
