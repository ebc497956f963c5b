-- Sandbox profiles as data, and which one a run gets. The keeper enforces them below every rule: with
-- Landlock and seccomp, and with a mount namespace where the machine allows one.
--
-- Paths begin with '/', '~/' or a variable: $WORKSPACE, $HOME, $TMP (/tmp, /var/tmp and $TMPDIR),
-- $RUNTIME ($XDG_RUNTIME_DIR), $SSH_AUTH_SOCK, $SCRIPTS, $POLICIES and $CONFIG (Gibbous's own). What
-- does not exist on a machine is skipped.
local M = {}

-- Nobody inside reads these: keys, tokens, passwords, and sockets that lead out.
local CREDENTIALS = {
  '~/.ssh', '~/.gnupg', '~/.netrc', '~/.git-credentials', '~/.config/git/credentials',
  '~/.aws', '~/.azure', '~/.config/gcloud', '~/.kube', '~/.docker/config.json', '~/.oci',
  '~/.config/gh', '~/.config/hub', '~/.config/op', '~/.terraform.d/credentials.tfrc.json',
  '~/.npmrc', '~/.yarnrc.yml', '~/.pypirc', '~/.cargo/credentials', '~/.cargo/credentials.toml',
  '~/.gem/credentials', '~/.m2/settings.xml', '~/.vault-token', '~/.pgpass', '~/.my.cnf',
  '~/.password-store', '~/.local/share/keyrings', '~/.config/sops',
  '~/.mozilla', '~/.config/google-chrome', '~/.config/chromium', '~/.config/microsoft-edge',
  '~/.config/BraveSoftware', '~/.thunderbird', '~/.claude/.credentials.json', '~/.codex/auth.json',
  '/etc/shadow', '/etc/gshadow', '/etc/sudoers',
  '$SSH_AUTH_SOCK', '$RUNTIME', '/tmp/.X11-unix', '/run/dbus/system_bus_socket',
  '/run/docker.sock', '/run/podman', '/run/containerd/containerd.sock',
}

-- What others execute: shell start-up files, and what git and Gibbous run.
local EXECUTED = {
  '~/.bashrc', '~/.bash_profile', '~/.bash_login', '~/.bash_logout', '~/.profile', '~/.zshrc',
  '~/.zshenv', '~/.zprofile', '~/.zlogin', '~/.config/fish', '~/.config/autostart',
  '~/.config/systemd', '~/.gitconfig', '~/.config/git', '~/.vimrc', '~/.config/nvim', '~/.emacs.d',
  '$WORKSPACE/.git/hooks', '$WORKSPACE/.git/config', '$WORKSPACE/.git/config.worktree',
  '$SCRIPTS', '$POLICIES', '$CONFIG',
}

-- `rank`: of two profiles that are asked for, the one with the higher rank is taken.
M.PROFILES = {
  none = { rank = 0, read = { '/' }, write = { '/' } },
  workspace = {
    rank = 10,
    read = { '/' },
    write = { '$WORKSPACE', '$TMP' },
    unreadable = CREDENTIALS,
    unwritable = EXECUTED,
    pinned = { '$WORKSPACE/.git' },
  },
  readonly = { rank = 20, read = { '/' }, write = {}, unreadable = CREDENTIALS },
}

local NETWORKS = { on = 0, loopback = 1, off = 2 }
local LISTS = { 'read', 'write', 'unreadable', 'unwritable', 'pinned' }

local function refuse(format, ...)
  error(format:format(...), 0)
end

--- Checks what a mode or a caller asks for, and raises what is wrong with it.
---
--- Example: `sandbox.check({ profile = 'workspace', network = 'off' }, 'mode auto')`
---@param request SandboxRequest
---@param owner string for the message
function M.check(request, owner)
  if type(request) ~= 'table' then
    refuse('%s: sandbox must be a table { profile = ..., network = ... }', owner)
  end
  for key in pairs(request) do
    if key ~= 'profile' and key ~= 'network' and key ~= 'min_landlock_abi' then
      refuse('%s: sandbox has an unknown key %s', owner, tostring(key))
    end
  end
  if request.profile and not M.PROFILES[request.profile] then
    local known = {}
    for name in pairs(M.PROFILES) do
      known[#known + 1] = name
    end
    table.sort(known)
    refuse('%s: there is no sandbox profile %s; known are %s', owner, tostring(request.profile),
      table.concat(known, ', '))
  end
  if request.network and not NETWORKS[request.network] then
    refuse('%s: sandbox.network must be on, loopback or off', owner)
  end
end

--- Gives the strictest of what the mode, the configuration and the caller ask for, as a whole
--- profile; nothing when none of them asks for any.
---
--- Example: `sandbox.strictest({ { profile = 'workspace' }, { network = 'off' } }).network` is 'off'
---@param requests SandboxRequest[]
---@return Sandbox?
function M.strictest(requests)
  local chosen, network, abi = 'none', 'on', 0
  for _, request in ipairs(requests) do
    M.check(request, 'start')
    local profile = request.profile or 'none'
    if M.PROFILES[profile].rank > M.PROFILES[chosen].rank then
      chosen = profile
    end
    if request.network and NETWORKS[request.network] > NETWORKS[network] then
      network = request.network
    end
    abi = math.max(abi, request.min_landlock_abi or 0)
  end
  if chosen == 'none' and network == 'on' and abi == 0 then
    return nil
  end
  local whole = { profile = chosen, network = network, min_landlock_abi = abi }
  for _, list in ipairs(LISTS) do
    whole[list] = M.PROFILES[chosen][list]
  end
  return whole
end

return M
