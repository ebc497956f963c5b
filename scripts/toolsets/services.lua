-- The toolset `services`: commands that depend on one another, started together and kept running.
local service_port = require 'services.port'
local services = require 'services'

local NAME = 'start_services'
local MAX_SERVICES = 32
local MAX_TIMEOUT_MS = 600000
local DEFAULT_TIMEOUT_MS = 60000

local READY = schema.object({
  port = schema.integer {
    minimum = 1, maximum = 65535, optional = true, description = 'TCP port that listens',
  },
  output_regex = schema.string {
    optional = true, description = 'RE2 that a line of its output matches',
  },
  http = schema.string { optional = true, description = 'URL (http://) that answers 2xx or 3xx' },
  file = schema.string { optional = true, description = 'Path that exists' },
  exit = schema.boolean { optional = true, description = 'It has ended with exit code 0' },
}, { optional = true, description = 'All of these (default: it runs)' })

local RESTART = schema.object({
  max = schema.integer { minimum = 1, maximum = 1000, default = 3, description = 'How often' },
  backoff_ms = schema.integer {
    minimum = 0, maximum = 60000, default = 500,
    description = 'Pause before the first time, twice as long each time',
  },
  on_failure = schema.boolean {
    default = true, description = 'false: also after exit code 0',
  },
}, { optional = true, description = 'Start it again when it fails (default: no)' })

local SERVICE = schema.object {
  name = schema.string { min_length = 1, description = 'Letters, digits, _ . and -' },
  command = schema.string { min_length = 1, description = 'Shell command' },
  cwd = schema.string { optional = true, description = 'Directory (default: the workspace)' },
  after = schema.array(schema.string {}, {
    optional = true, description = 'Names of services that must be ready before it starts, '
      .. 'also of earlier calls',
  }),
  ready = READY,
  restart = RESTART,
}

-- The conditions that READY can ask for: the argument, and how to make a condition from it.
local CONDITIONS = {
  { 'port', function(port) return { kind = 'port', port = port } end },
  { 'output_regex', function(regex) return { kind = 'regex', pattern = regex } end },
  { 'http', function(url) return { kind = 'http', url = url } end },
  { 'file', function(path, ctx)
    local absolute = path:sub(1, 1) == '/'
    return { kind = 'file', path = absolute and path or ctx.workspace .. '/' .. path }
  end },
  { 'exit', function(wanted) return wanted and { kind = 'exit' } or nil end },
}

local function ready_of(asked, ctx, timeout_ms)
  local all = {}
  for _, entry in ipairs(CONDITIONS) do
    local value = asked and asked[entry[1]]
    if value ~= nil then
      all[#all + 1] = entry[2](value, ctx)
    end
  end
  return #all > 0 and { all = all, timeout_ms = timeout_ms } or nil
end

-- Returns the name in READY of a field of a condition.
local function argument_of(path)
  local names = { pattern = 'output_regex', url = 'http' }
  return path[1] == 'ready' and path[4] and 'ready: ' .. (names[path[4]] or path[4]) or nil
end

local GOES_ON = { queued = true, starting = true, running = true }

-- Returns the session's runs that services may come after, by label: for each label the newest run
-- that is still running or has completed. Also returns the ids of services that are still running.
local function known_runs(ctx)
  local known, services_now = {}, {}
  for _, info in ipairs(run.list { session = ctx.session }) do
    if info.label then
      local counts = GOES_ON[info.state] or info.state == 'completed'
      known[info.label] = counts and run.get(info.id) or nil
      local service = GOES_ON[info.state] and info.tool == NAME
      services_now[info.label] = service and info.id or services_now[info.label]
    end
  end
  return known, services_now
end

local function refuse_doubles(list, services_now)
  for _, service in ipairs(list) do
    local id = services_now[service.name]
    if id then
      tool.error('invalid_arguments', ('service %s: name: one of this name runs already, id=%s: '
        .. 'end it first (bg_kill, or background with action=kill), or choose another name')
        :format(service.name, id))
    end
  end
end

-- Makes the library's declarations from the arguments.
local function declared(args, ctx, known)
  local list = {}
  for index, asked in ipairs(args.services) do
    list[index] = {
      name = asked.name, command = asked.command, cwd = asked.cwd, after = asked.after,
      restart = asked.restart, ready = ready_of(asked.ready, ctx, args.timeout),
    }
  end
  local good, problem = pcall(services.check, list, known, argument_of)
  if not good then
    tool.error('invalid_arguments', tostring(problem))
  end
  return list
end

-- Returns the current run of a service, which may have been restarted.
local function newest(handle)
  local info = handle:info()
  while info and info.next do
    handle = run.get(info.next) or handle
    info = handle.id == info.next and handle:info() or nil
  end
  return handle
end

-- Waits until a service is ready or can no longer become ready, through restarts. It gives up on a
-- service that stays queued after the time that all services together may take.
local function settle(handle, limit_ms)
  while true do
    handle = newest(handle)
    local answer = handle:wait { any = { wait.ready(handle) }, timeout_ms = limit_ms }
    if not answer or answer.ok or newest(handle).id == handle.id then
      return handle
    end
  end
end

local STATES = { ready = 'ready', pending = 'not ready yet', failed = 'not ready' }

-- Adds the names of services to a table, by the ids of all their runs.
local function add_names(handles, names)
  for name, handle in pairs(handles) do
    while handle do
      names[handle.id] = name
      local info = handle:info()
      handle = info and info.next and run.get(info.next)
    end
  end
  return names
end

local function describe(service, handle, problem, names)
  local name = service.name
  if not handle then
    return { name = name, state = 'failed', ready = false, reason = problem },
      ('%s: not started: %s'):format(name, problem)
  end
  local info = handle:info()
  if not info then
    return { name = name, id = handle.id, state = 'lost', ready = false, reason = 'is forgotten' },
      ('%s: id=%s is not remembered any more'):format(name, handle.id)
  end
  local running = info.state == 'running'
  local ready = info.readiness == 'ready' or (info.readiness == nil and running)
  local data = {
    name = name, id = info.id, pid = info.pid, state = info.state, ready = ready,
    reason = info.reason and services.with_names(info.reason, names), restarts = info.restarts,
  }
  local parts = { ('%s: id=%s state=%s'):format(name, info.id, info.state) }
  parts[#parts + 1] = info.readiness and ('%s (%s)'):format(
    STATES[info.readiness], services.with_names(info.readiness_note or 'waiting', names))
  parts[#parts + 1] = data.reason and 'reason: ' .. data.reason or nil
  parts[#parts + 1] = ready and service_port.doubt(service, handle) or nil
  return data, table.concat(parts, ', ')
end

-- Returns the last lines of a service that is not in the expected state.
local function tail_of(data, handle)
  local known = handle and handle:info()
  if not known or data.ready or data.state == 'completed' or data.state == 'queued' then
    return ''
  end
  local text = handle:error_excerpt() or ''
  return text ~= '' and '\n' .. text:gsub('\n$', '') or ''
end

local start = tool {
  name = NAME,
  title = 'Start services',
  description = 'Start commands that belong together (database, API, web server) in the '
    .. 'background, each when those before it are ready, and wait until all are ready. Failed ones '
    .. 'can be started again. You are told later when one ends or becomes ready again.',
  permission = 'execute',
  annotations = { destructive = true, idempotent = false, open_world = true },
  input = schema.object {
    services = schema.array(SERVICE, { min_items = 1, max_items = MAX_SERVICES }),
    timeout = schema.integer {
      minimum = 0, maximum = MAX_TIMEOUT_MS, default = DEFAULT_TIMEOUT_MS,
      description = 'ms that each may take to become ready (default: 60000)',
    },
    wait = schema.boolean {
      default = true, description = 'false: return at once (default: true)',
    },
  },
  output = schema.object {
    ready = schema.boolean { description = 'All of them are, or have ended with exit code 0' },
    services = schema.array(schema.object {
      name = schema.string {},
      id = schema.string { optional = true },
      pid = schema.integer { optional = true },
      state = schema.string {},
      ready = schema.boolean {},
      reason = schema.string { optional = true },
      restarts = schema.integer { optional = true },
    }),
  },
  run = function(args, ctx)
    local known, services_now = known_runs(ctx)
    local list = declared(args, ctx, known)
    refuse_doubles(list, services_now)
    local handles, problems = services.start(list, true, { known = known })
    local names = add_names(known, {})
    local lines, data, all_ready = {}, json.array {}, true
    for index, service in ipairs(list) do
      local handle = handles[service.name]
      if handle and args.wait then
        tool.progress(index - 1, #list, 'waiting for ' .. service.name)
        handle = settle(handle, args.timeout * #list)
      end
      add_names(handles, names)
      local facts, line = describe(service, handle, problems[service.name], names)
      data[index] = facts
      lines[index] = line .. (args.wait and tail_of(facts, handle) or '')
      all_ready = all_ready and (facts.ready or facts.state == 'completed')
    end
    return { text = table.concat(lines, '\n'), data = { ready = all_ready, services = data } }
  end,
}

return { name = 'services', tools = { start } }
