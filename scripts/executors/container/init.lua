-- The common part of docker and podman. The process of a run is the engine's client, in the
-- foreground, with a container of its own. So the streams stay separate, stdin works, a flood is
-- throttled, and the exit code is the command's. A client that is killed leaves its container
-- behind, which the cleanup command removes.
local command = require 'executors.command'
local container_end = require 'executors.container.ending'
local container_mounts = require 'executors.container.mounts'
local container_removal = require 'executors.container.removal'
local container_usage = require 'executors.container.usage'
local environment = require 'executors.environment'

local M = {}

local THIS_MACHINE = '127.0.0.1'
local LOOK_AGAIN_MS = 100

local function settings_schema()
  return schema.object {
    image = command.word { description = 'Image that commands run in' },
    program = command.word { optional = true, description = 'Path of the client' },
    context = command.word { optional = true, description = 'Context or connection to use' },
    host = command.word { optional = true, description = 'Engine, such as unix:///run/x.sock' },
    address = command.word {
      default = THIS_MACHINE, description = 'Address that ports are published on and reached at',
    },
    workspace = schema.string {
      enum = { 'rw', 'ro', 'none' }, default = 'rw', description = 'How the workspace is mounted',
    },
    volumes = schema.array(schema.string {}, {
      optional = true, description = 'More mounts: SOURCE:TARGET or SOURCE:TARGET:ro',
    }),
    user = command.word { optional = true, description = 'User inside, such as 1000:1000' },
    network = command.word { optional = true, description = 'Network; none: no network' },
    shell = command.word {
      optional = true, description = 'For command lines; default: bash if there, else /bin/sh',
    },
    init = schema.boolean { default = true, description = 'A first process passes signals on' },
    pull = schema.string { enum = { 'missing', 'always', 'never' }, default = 'missing' },
    options = schema.array(schema.string {}, {
      optional = true, description = 'More options of `run`, before the image',
    }),
  }
end

-- Returns the client, with the options that select its engine.
local function client(engine, settings)
  local words = { settings.program or engine.program }
  if settings.context then
    command.add(words, engine.context_option, settings.context)
  end
  if settings.host then
    command.add(words, engine.host_option, settings.host)
  end
  return words
end

local function network_of(spec)
  if spec.sandbox and spec.sandbox.network ~= 'on' then
    return 'none'
  end
  return spec.settings.network
end

-- Tells whether the engine is on another machine, whose free ports are unknown here. An engine that
-- only the client's environment or configuration names counts as local.
local function is_elsewhere(settings)
  local host = settings.host
  return settings.context ~= nil or settings.address ~= THIS_MACHINE
    or host ~= nil and not host:find '^unix:' and host:sub(1, 1) ~= '/'
end

-- ADDRESS:HOST:PORT; the engine chooses HOST when it is left out.
local function publication(mapping, settings)
  local host = mapping.host
  if is_elsewhere(settings) then
    host = mapping.wanted or ''
  end
  return ('%s:%s:%d'):format(settings.address, host, mapping.port)
end

-- With the network of the engine's machine, ports need no mapping.
local function has_own_ports(spec, network)
  return #spec.ports > 0 and network == 'host'
end

local function check_ports(spec, network)
  if #spec.ports == 0 or not network then
    return
  elseif network == 'none' then
    tool.error('invalid_arguments', 'ports: a container without a network has none')
  elseif network:find '^container:' or network:find '^ns:' then
    tool.error('invalid_arguments', ('ports: the network %s belongs to another container or '
      .. 'process; request the ports there'):format(network))
  end
  for _, mapping in ipairs(spec.ports) do
    if network == 'host' and mapping.wanted and mapping.wanted ~= mapping.port then
      tool.error('invalid_arguments', ("ports: '%d:%d' is not possible with the network host, "
        .. "which cannot map ports; request '%d'"):format(mapping.wanted, mapping.port,
        mapping.port))
    end
  end
end

local function add_network(words, spec)
  local network = network_of(spec)
  if network then
    command.add(words, '--network', network)
  end
  check_ports(spec, network)
  if has_own_ports(spec, network) then
    return
  end
  for _, mapping in ipairs(spec.ports) do
    command.add(words, '--publish', publication(mapping, spec.settings))
  end
end

local function ports_of(spec)
  local ports = json.array {}
  for index, mapping in ipairs(spec.ports) do
    ports[index] = { port = mapping.port, host = mapping.port }
  end
  return ports
end

-- Swap would only delay the end.
local LIMIT_OPTIONS = {
  memory_bytes = function(bytes)
    return { '--memory', tostring(bytes), '--memory-swap', tostring(bytes) }
  end,
  cpu_share = function(share) return { '--cpus', ('%.2f'):format(share) } end,
  pids = function(pids) return { '--pids-limit', tostring(pids) } end,
  open_files = function(files) return { '--ulimit', ('nofile=%d'):format(files) } end,
  file_size_bytes = function(bytes) return { '--ulimit', ('fsize=%d'):format(bytes) } end,
  cpu_time_ms = function(ms) return { '--ulimit', ('cpu=%d'):format(math.ceil(ms / 1000)) } end,
}
local LIMIT_NAMES = {
  'memory_bytes', 'cpu_share', 'pids', 'open_files', 'file_size_bytes', 'cpu_time_ms',
}

-- Returns the names of the limits that the engine enforces.
local function add_limits(words, limits)
  local held = json.array {}
  for _, name in ipairs(LIMIT_NAMES) do
    if limits[name] then
      command.add(words, unpack(LIMIT_OPTIONS[name](limits[name])))
      held[#held + 1] = name
    end
  end
  return held
end

-- The keys that detach the client: a sequence that is never typed, unlike ^P in shells.
local function untypable(id)
  return 'ctrl-^,' .. id:gsub('.', '%0,') .. 'ctrl-^'
end

local function prepare(engine, spec)
  local settings = spec.settings
  local base = client(engine, settings)
  local name = 'gibbous-' .. spec.run
  local argv = command.with(base, 'run', '--name', name, '--pull', settings.pull,
    '--log-driver', 'none', '--label', container_removal.RUN_LABEL .. '=' .. spec.run,
    '--label', container_removal.HOST_LABEL .. '=' .. spec.host)
  if settings.init then
    command.add(argv, '--init')
  end
  if spec.stdin ~= 'null' then
    command.add(argv, '--interactive')
  end
  if spec.stdin == 'terminal' then
    command.add(argv, '--tty', '--detach-keys', untypable(spec.run))
    if not spec.env.TERM then
      command.add(argv, '--env', 'TERM') -- the client's own, by name
    end
  end
  if settings.user then
    command.add(argv, '--user', settings.user)
  end
  container_mounts.add(argv, spec, base[1], engine.empty_tmpfs)
  add_network(argv, spec)
  local own_ports = has_own_ports(spec, network_of(spec))
  local held = add_limits(argv, spec.limits)
  local variables = environment.for_client(spec.env)
  command.add(argv, unpack(variables.options))
  command.add(argv, unpack(settings.options or {}))
  command.add(argv, '--', settings.image)
  command.add(argv, unpack(command.words(spec, settings.shell)))
  container_removal.tidy(base, engine.label_format, spec.host)
  return {
    argv = variables.wrap(argv), env = variables.env, cwd = '/', maps_ports = true,
    cleanup = container_removal.cleanup(base, name),
    ports_later = own_ports or #spec.ports > 0 and is_elsewhere(settings),
    address = settings.address ~= THIS_MACHINE and settings.address or nil,
    holds = held, sandbox = 'own',
    state = {
      client = base, name = name, host = spec.host, ports = own_ports and ports_of(spec) or nil,
    },
  }
end

-- { ['3000/tcp'] = { { HostIp = '127.0.0.1', HostPort = '49153' } }, ... }
local function read_ports(published)
  local ports = json.array {}
  for inner, bindings in pairs(published or {}) do
    local port = tonumber(inner:match '^(%d+)/tcp$')
    local host = type(bindings) == 'table' and bindings[1] and tonumber(bindings[1].HostPort)
    if port and host then
      ports[#ports + 1] = { port = port, host = host }
    end
  end
  return ports
end

-- The client starts before its container, much earlier when it has to fetch the image.
local function ports(event)
  while not run.get(event.run):info().ended_ms do
    local state = container_end.inspect(event.state, 'State')
    if state and state.Running then
      return {
        ports = event.state.ports
          or read_ports(container_end.inspect(event.state, 'NetworkSettings.Ports')),
      }
    end
    time.sleep(LOOK_AGAIN_MS)
  end
end

-- The end is clean only when the engine confirms it.
local function ended(engine, event)
  local reason, limit
  if event.exit_code and event.exit_code ~= 0 then
    reason, limit = container_end.reason(engine.program, event)
  end
  local state = event.state
  local answer = container_removal.remove(state.client, state.name)
  -- A client that was killed may have requested a container that appears only later.
  local clean = answer == 'removed' or answer == 'missing' and event.exit_code ~= nil
  if clean then
    container_removal.tidy(state.client, engine.label_format, state.host)
  end
  return { reason = reason, limit = limit, clean = clean }
end

local function usage(engine, event)
  if engine.has_counters then
    local answered, counted = container_usage.by_counters(event.state)
    if answered then
      return counted
    end
  end
  return container_usage.by_stats(event.state, engine.stats_format)
end

local function sweep(engine, event)
  local base = client(engine, event.settings)
  local list, problem = container_removal.list(base, engine.label_format)
  if not list then
    tool.error('executor_failed', problem)
  end
  for _, container in ipairs(list) do
    if run.is_host_alive(container.host) == false then
      container_removal.remove(base, container.name)
    end
  end
end

---@class ContainerEngine
---@field program string the client
---@field context_option string
---@field host_option string
---@field stats_format string of `stats`, for JSON
---@field empty_tmpfs string options of a tmpfs that is read-only, and empty
---@field has_counters? boolean its API gives a container's counters, over `system dial-stdio`
---@field label_format string of a label in `ps`, with %s for its name

--- Makes an executor of a container engine whose client takes the options of docker.
---
--- Example: `return container.new { program = 'docker', context_option = '--context', ... }`
---@param engine ContainerEngine
---@return Executor
function M.new(engine)
  return {
    name = engine.program,
    confines = true,
    settings = settings_schema(),
    prepare = function(spec) return prepare(engine, spec) end,
    ports = ports,
    ended = function(event) return ended(engine, event) end,
    usage = function(event) return usage(engine, event) end,
    sweep = function(event) return sweep(engine, event) end,
  }
end

return M
