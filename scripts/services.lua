-- Services: commands that belong together and depend on one another. Each is started when those
-- that it comes after are ready, is ready when its condition has come true, and is started again
-- when it failed and may be. A library: `gibbous up` is a tool of it (toolsets/up.lua).
local M = {}

local READY_TIMEOUT_MS = 60000
local MAX_BACKOFF_MS = 60000
local STREAMS = { 'stdout', 'stderr' }
local MAX_LINE_BYTES = 16 * 1024

---@class RestartOptions
---@field on_failure? boolean default: true; false: also after an end with exit code 0
---@field max? integer default: 3; how often
---@field backoff_ms? integer default: 500; before the first time; then twice as long each time

---@class Service
---@field name string
---@field command? string this or argv, as for run.start
---@field argv? string[]
---@field cwd? string
---@field env? table<string, string>
---@field executor? string|table
---@field ports? string[]
---@field limits? Limits
---@field ready? Condition when it is ready; none: as soon as it runs
---@field ready_timeout_ms? integer default: 60000
---@field after? string[] names of services that must be ready before
---@field restart? RestartOptions|boolean default: false

---@class ServiceEvent
---@field service string
---@field event 'started'|'ready'|'not_ready'|'line'|'exited'|'restarted'|'gave_up'|
---'not_started'
---@field run? string
---@field pid? integer started
---@field ports? table[] started
---@field stream? 'stdout'|'stderr' line
---@field text? string line; why, for the others
---@field exit_code? integer exited
---@field state? RunState exited

local function wrong(service, field, expected)
  error(('service %s: %s: expected %s'):format(service.name or '?', field, expected), 0)
end

local SERVICE_FIELDS = {
  name = 'string', command = 'string', argv = 'table', cwd = 'string', env = 'table',
  executor = true, ports = 'table', limits = 'table', ready = 'table',
  ready_timeout_ms = 'number', after = 'table', restart = true,
}

local function check_service(service)
  if type(service.name) ~= 'string' or not service.name:find '^[%w_.-]+$' then
    wrong(service, 'name', 'letters, digits, _ . and -')
  end
  for field, value in pairs(service) do
    local expected = SERVICE_FIELDS[field]
    if not expected then
      error(('service %s: there is no field %s'):format(service.name, tostring(field)), 0)
    elseif expected ~= true and type(value) ~= expected then
      wrong(service, field, 'a ' .. expected)
    end
  end
  if (service.command == nil) == (service.argv == nil) then
    wrong(service, 'command', 'one of command and argv')
  end
end

local function visit(service, by_name, state)
  if state[service.name] == 'done' then
    return
  elseif state[service.name] == 'open' then
    error(('service %s: after: it would wait for itself'):format(service.name), 0)
  end
  state[service.name] = 'open'
  for _, name in ipairs(service.after or {}) do
    if not by_name[name] then
      error(('service %s: after: there is no service %s'):format(service.name, tostring(name)), 0)
    end
    visit(by_name[name], by_name, state)
  end
  state[service.name] = 'done'
end

--- Checks declarations. Raises for what is wrong, with the service's name and the field.
---
--- Example: `services.check { { name = 'web', command = 'npm start' } }`
---@param list Service[]
function M.check(list)
  local by_name = {}
  for _, service in ipairs(list) do
    check_service(service)
    if by_name[service.name] then
      wrong(service, 'name', 'another one: there are two of this name')
    end
    by_name[service.name] = service
  end
  local state = {}
  for _, service in ipairs(list) do
    visit(service, by_name, state)
  end
end

--- Gives the services that a Procfile declares: one `name: command` a line. Raises for other lines.
---
--- Example: `services.parse_procfile('web: npm start\nworker: npm run worker\n')`
---@param text string
---@return Service[]
function M.parse_procfile(text)
  local list = {}
  local number = 0
  for line in (text .. '\n'):gmatch '(.-)\r?\n' do
    number = number + 1
    local name, command = line:match '^%s*([%w_.-]+)%s*:%s*(.-)%s*$'
    if name and command ~= '' then
      list[#list + 1] = { name = name, command = command }
    elseif line:find '%S' and not line:find '^%s*#' then
      error(('line %d: expected NAME: COMMAND, got %s'):format(number, line), 0)
    end
  end
  return list
end

local function restart_of(service)
  local restart = service.restart
  if not restart then
    return { max = 0, on_failure = true, backoff_ms = 0 }
  end
  restart = restart == true and {} or restart
  return {
    max = restart.max or 3, backoff_ms = restart.backoff_ms or 500,
    on_failure = restart.on_failure ~= false,
  }
end

local function start(service)
  return run.start {
    command = service.command, argv = service.argv, cwd = service.cwd, env = service.env,
    executor = service.executor, ports = service.ports, limits = service.limits,
    label = service.name, timeout_ms = 0,
  }
end

-- The lines that came since `from`, which it moves on. At the end also what has no newline.
local function read_lines(handle, stream, from, at_end, on_line)
  while true do
    local part = handle:read { stream = stream, since = from[stream] }
    if not part then
      return
    end
    local text = part.text
    local last = text:match '^.*()\n'
    if not last and not (at_end and text ~= '') and #text < MAX_LINE_BYTES then
      return
    end
    local whole = (last and not at_end) and text:sub(1, last) or text
    for line in (whole:gsub('\n$', '') .. '\n'):gmatch '(.-)\n' do
      on_line(stream, line)
    end
    from[stream] = part.to - (#text - #whole)
    if not part.more then
      return
    end
  end
end

-- Tells every line until the run has ended.
local function follow(handle, tell)
  local from = { stdout = 0, stderr = 0 }
  local function on_line(stream, line)
    tell { event = 'line', run = handle.id, stream = stream, text = line }
  end
  repeat
    local conditions = { wait.exit(handle) }
    for _, stream in ipairs(STREAMS) do
      local options = { stream = stream, since = from[stream] }
      conditions[#conditions + 1] = wait.regex(handle, '^', options)
    end
    local answer = handle:wait { any = conditions }
    local ended = not answer or not answer.ok or handle:info().ended_ms ~= nil
    local before = from.stdout + from.stderr
    for _, stream in ipairs(STREAMS) do
      read_lines(handle, stream, from, ended, on_line)
    end
    if not ended and from.stdout + from.stderr == before then
      -- A prompt: a line that does not end.
      for _, stream in ipairs(STREAMS) do
        read_lines(handle, stream, from, true, on_line)
      end
    end
  until ended
end

-- Waits for the condition; true when the service is ready.
local function become_ready(service, handle, tell)
  if service.ready then
    local answer = handle:wait {
      any = { service.ready }, timeout_ms = service.ready_timeout_ms or READY_TIMEOUT_MS,
    }
    if not answer or not answer.ok then
      tell { event = 'not_ready', run = handle.id, text = answer and answer.message or 'is gone' }
      return false
    end
  end
  tell { event = 'ready', run = handle.id }
  return true
end

-- Nil when it could not be started.
local function begin(service, tell, hooks)
  local handle, err = start(service)
  if not handle then
    tell { event = 'not_started', text = err.message }
    return nil
  end
  hooks.on_run(service.name, handle.id)
  local info = handle:info()
  tell { event = 'started', run = handle.id, pid = info.pid, ports = info.ports }
  return handle
end

-- Tells of its lines and of its end, which it gives.
local function accompany(handle, tell)
  follow(handle, tell)
  local ended = handle:info()
  tell {
    event = 'exited', run = handle.id, exit_code = ended.exit_code, state = ended.state,
    text = ended.reason,
  }
  return ended
end

-- It ended by itself, and not as it may.
local function wants_restart(restart, ended)
  local by_itself = ended.state == 'failed' or ended.state == 'completed'
  return by_itself and not (ended.state == 'completed' and restart.on_failure)
end

-- Starts it again as far as it may. Gives whether it ended well in the end.
local function restart_until_well(service, ended, tell, hooks)
  local restart = restart_of(service)
  local backoff = restart.backoff_ms
  for attempt = 1, restart.max do
    if not wants_restart(restart, ended) or hooks.is_stopping() then
      return ended.state == 'completed'
    end
    time.sleep(backoff)
    backoff = math.min(backoff * 2, MAX_BACKOFF_MS)
    if hooks.is_stopping() then
      return false
    end
    tell { event = 'restarted', text = ('%d of %d'):format(attempt, restart.max) }
    local handle = begin(service, tell, hooks)
    if not handle then
      return false
    end
    local getting_ready = task.spawn(become_ready, service, handle, tell)
    ended = accompany(handle, tell)
    getting_ready:await()
  end
  if restart.max > 0 and wants_restart(restart, ended) then
    tell { event = 'gave_up', text = ('it was started again %d times'):format(restart.max) }
  end
  return ended.state == 'completed'
end

-- Three tasks a service: it starts when those before it are ready, it becomes ready, it lives.
local function spawn_service(service, ready, tell, hooks)
  local starting = task.spawn(function()
    for _, name in ipairs(service.after or {}) do
      if not ready[name]:await() then
        tell { event = 'not_started', text = name .. ' is not ready' }
        return nil
      end
    end
    return not hooks.is_stopping() and begin(service, tell, hooks) or nil
  end)
  ready[service.name] = task.spawn(function()
    local handle = starting:await()
    return handle ~= nil and become_ready(service, handle, tell)
  end)
  return task.spawn(function()
    local handle = starting:await()
    if not handle then
      return false
    end
    local ended = accompany(handle, tell)
    ready[service.name]:await()
    return restart_until_well(service, ended, tell, hooks)
  end)
end

-- Those that come after others stand behind them.
local function in_order(list)
  local by_name, placed, order = {}, {}, {}
  for _, service in ipairs(list) do
    by_name[service.name] = service
  end
  local function place(service)
    if placed[service.name] then
      return
    end
    placed[service.name] = true
    for _, name in ipairs(service.after or {}) do
      place(by_name[name])
    end
    order[#order + 1] = service
  end
  for _, service in ipairs(list) do
    place(service)
  end
  return order
end

---@class ServiceHooks
---@field on_event fun(event: ServiceEvent)
---@field on_run? fun(name: string, run: string) it runs now, perhaps again
---@field is_stopping? fun(): boolean nothing is started any more

--- Starts services and looks after them until all have ended for good. Raises for wrong
--- declarations. Gives the names of those that did not end well.
---
--- Example: `local failed = services.run(list, { on_event = print_event })`
---@param list Service[]
---@param hooks ServiceHooks
---@return string[]
function M.run(list, hooks)
  M.check(list)
  local all = {
    on_run = hooks.on_run or function() end,
    is_stopping = hooks.is_stopping or function() return false end,
  }
  local ready, lives = {}, {}
  for _, service in ipairs(in_order(list)) do
    local function tell(event)
      event.service = service.name
      hooks.on_event(event)
    end
    lives[service.name] = spawn_service(service, ready, tell, all)
  end
  local failed = {}
  for _, service in ipairs(list) do
    if not lives[service.name]:await() then
      failed[#failed + 1] = service.name
    end
  end
  return failed
end

--- Ends the runs of services, those behind first: what others need goes last.
---
--- Example: `services.stop(list, { web = 'Ab3xK9mZ' })`
---@param list Service[]
---@param runs table<string, string> ids, by the name of the service
function M.stop(list, runs)
  local order = in_order(list)
  for index = #order, 1, -1 do
    local id = runs[order[index].name]
    local handle = id and run.get(id)
    if handle then
      handle:kill()
    end
  end
end

return M
