-- Runs a command in bubblewrap, as an executor or for tools: every kind of namespace of its own, a
-- file system that is read-only except for the workspace, and a temporary /tmp. It needs a
-- bubblewrap that may create namespaces; the sandbox of the modes needs no program at all.
--
-- It does not keep a program from reading what is not hidden, or from unix sockets that have a
-- path. A signal ends bubblewrap, and then the kernel ends everything inside at once.
local command = require 'executors.command'
local environment = require 'executors.environment'
local files = require 'executors.places'

local M = {}

local ABSOLUTE = schema.string { pattern = '^/', description = 'an absolute path' }
local ABSOLUTES = schema.array(ABSOLUTE, { optional = true })
local PLACES = schema.object {
  workspace = ABSOLUTE,
  network = schema.string { enum = { 'on', 'loopback', 'off' }, optional = true },
  write = ABSOLUTES,
  hide = ABSOLUTES,
}
-- The options of run.start that matter here.
local OPTIONS = schema.object {
  command = schema.string { optional = true },
  argv = schema.array(schema.string {}, { min_items = 1, optional = true }),
  cwd = schema.string { optional = true },
  -- Bubblewrap cannot make namespaces within another sandbox.
  sandbox = schema.string { enum = { 'none' }, optional = true },
}

-- Files that git runs or obeys. While .git is mounted, it cannot be moved away and replaced.
local GIT_READ_ONLY = { '/.git/hooks', '/.git/config', '/.git/config.worktree' }

---@class BwrapPlaces
---@field workspace string absolute; may be changed, and is where the command starts
---@field network? 'on'|'loopback'|'off' default: 'off'; with 'off' there is a loopback too, its own
---@field write? string[] absolute paths that may be changed as well, as far as they exist
---@field hide? string[] absolute paths that look empty; they must exist, directories end in '/'

local function check(options, places)
  local known = options
  if type(options) == 'table' then
    known = {}
    for name in pairs(OPTIONS.properties) do
      known[name] = options[name]
    end
  end
  schema.check(known, OPTIONS, 'bwrap.wrap: options')
  if (options.command == nil) == (options.argv == nil) then
    error('bwrap.wrap: options: expected one of command and argv', 0)
  end
  schema.check(places, PLACES, 'bwrap.wrap: places')
end

local function directory_of(options, workspace)
  local cwd = options.cwd
  if cwd == nil or cwd == '' then
    return workspace
  end
  return cwd:sub(1, 1) == '/' and cwd or workspace .. '/' .. cwd
end

-- Later mounts cover earlier ones.
local function mounts(places)
  local workspace = places.workspace
  local words = {
    '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp',
    '--bind', workspace, workspace,
  }
  for _, path in ipairs(places.write or {}) do
    command.add(words, '--bind-try', path, path)
  end
  command.add(words, '--bind-try', workspace .. '/.git', workspace .. '/.git')
  for _, name in ipairs(GIT_READ_ONLY) do
    command.add(words, '--ro-bind-try', workspace .. name, workspace .. name)
  end
  return words
end

local function add_hidden(words, hide)
  for _, path in ipairs(hide or {}) do
    local is_directory = path:sub(-1) == '/'
    command.add(words, unpack(is_directory and { '--tmpfs', path }
      or { '--dev-bind', '/dev/null', path }))
  end
end

-- Returns the places that both the profile and the settings let a command change; /tmp is always
-- its own.
local function writable(profile, workspace, settings)
  local all = {}
  local function add(path)
    if files.is_below_any(path, profile.write) then
      all[#all + 1] = path
    end
  end
  add(workspace)
  for _, path in ipairs(settings.write or {}) do
    add(files.normal(path))
  end
  for _, path in ipairs(profile.write) do
    if path ~= '/' and path ~= '/tmp' then
      add(path)
    end
  end
  table.sort(all) -- parents first
  return all
end

-- Restricts the settings by the sandbox profile of the start.
local function profile_mounts(profile, workspace, settings)
  local words = { '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp' }
  local write = writable(profile, workspace, settings)
  if not files.is_below_any(workspace, write) then
    command.add(words, '--ro-bind', workspace, workspace)
  end
  for _, path in ipairs(write) do
    command.add(words, '--bind-try', path, path)
  end
  for _, each in ipairs(profile.pinned) do
    if files.is_below_any(each.path, write) then
      command.add(words, '--bind-try', each.path, each.path) -- a mount cannot be moved
    end
  end
  for _, each in ipairs(profile.unwritable) do
    if files.is_below_any(each.path, write) then
      command.add(words, '--ro-bind-try', each.path, each.path)
    end
  end
  local shown = { workspace, unpack(write) }
  for _, each in ipairs(profile.unreadable) do
    -- The real /tmp is hidden except for what was bound.
    if not files.is_below(each.path, '/tmp') or files.is_below_any(each.path, shown) then
      command.add(words, unpack(each.kind == 'directory'
        and { '--tmpfs', each.path, '--remount-ro', each.path }
        or { '--ro-bind', '/dev/null', each.path }))
    end
  end
  return words
end

-- Returns the command, and the environment of bubblewrap for it.
local function wrap(how)
  local argv = {
    'bwrap', '--unshare-user-try', '--unshare-ipc', '--unshare-pid', '--unshare-uts',
    '--unshare-cgroup-try', '--die-with-parent', '--cap-drop', 'ALL',
  }
  if not how.terminal then
    command.add(argv, '--new-session') -- of a terminal, shells need the one that controls it
  end
  if how.network ~= 'on' then
    command.add(argv, '--unshare-net')
  end
  command.add(argv, unpack(how.mounts))
  add_hidden(argv, how.hide)
  command.add(argv, '--setenv', 'TMPDIR', '/tmp', '--chdir', how.directory, '--')
  local words, env = environment.inside(how.words, how.env)
  command.add(argv, unpack(words))
  return argv, env
end

--- Returns a copy of the options of run.start that runs the command in bubblewrap. All other
--- options, such as env, limits and detach, stay. Raises an error that names the field for wrong
--- use.
---
--- Example:
--- ```lua
--- local bwrap = require 'executors.bwrap'
--- local handle, err = run.start(bwrap.wrap({ command = 'make' }, { workspace = ctx.workspace }))
--- ```
---@param options RunStartOptions
---@param places BwrapPlaces
---@return RunStartOptions
function M.wrap(options, places)
  check(options, places)
  local argv, env = wrap {
    words = options.argv or { '/bin/sh', '-c', options.command }, env = options.env or {},
    network = places.network, mounts = mounts(places), hide = places.hide,
    directory = directory_of(options, places.workspace), terminal = options.pty,
  }

  local wrapped = {}
  for key, value in pairs(options) do
    wrapped[key] = value
  end
  wrapped.command = nil
  wrapped.argv = argv
  wrapped.env = next(env) and env or nil
  return wrapped
end

local NETWORKS = { on = 0, loopback = 1, off = 2 } -- the greater, the stricter

local function stricter(one, other)
  return NETWORKS[one] > NETWORKS[other] and one or other
end

local function prepare(spec)
  local settings, sandbox = spec.settings, spec.sandbox
  schema.check({ workspace = spec.workspace, write = settings.write, hide = settings.hide }, PLACES,
    'bwrap: settings')
  local profile = files.profile(spec, 'bwrap')
  local argv, env = wrap {
    words = command.words(spec, spec.shell), env = spec.env, directory = spec.cwd,
    network = sandbox and stricter(sandbox.network, settings.network) or settings.network,
    mounts = profile and profile_mounts(profile, spec.workspace, settings)
      or mounts { workspace = spec.workspace, write = settings.write },
    hide = settings.hide, terminal = spec.stdin == 'terminal',
  }
  return { argv = argv, env = env, cwd = spec.cwd, sandbox = 'own' }
end

---@type Executor
M.executor = {
  name = 'bwrap', confines = true,
  settings = schema.object {
    network = schema.string { enum = { 'on', 'loopback', 'off' }, default = 'off' },
    write = schema.array(schema.string {}, {
      optional = true, description = 'More directories that may be changed',
    }),
    hide = schema.array(schema.string {}, {
      optional = true, description = "Paths that look empty; directories end in '/'",
    }),
  },
  prepare = prepare,
}

return M
