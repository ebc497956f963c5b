-- The toolset `up`, which `gibbous up` calls. It reports events as progress messages that hold
-- JSON.
local services = require 'services'

local REST_MS = 50
local CONTROL_MS = 50000 -- of one request; a stop takes the grace at most

local FIELDS = {
  services = schema.array(schema.any {}, { optional = true, description = 'Declarations' }),
  procfile = schema.string { optional = true, description = 'Or the text of a Procfile' },
  file = schema.string { optional = true, description = 'Where they stand, for what is wrong' },
  batches = schema.boolean {
    default = false, description = 'Lines come as events `lines` with a list, `lines`',
  },
}

-- An error would name a line of this file, which is not where the mistake is.
local function declared(args)
  local good, list = pcall(function()
    local found = args.services or services.parse_procfile(args.procfile or '')
    services.check(found)
    return found
  end)
  local problem = not good and tostring(list) or #list == 0 and 'no service is declared'
  if problem then
    local place = args.file and args.file .. ': ' or ''
    tool.error('invalid_arguments', place .. problem)
  end
  return list
end

-- Returns the functions that report events and lines.
local function reporter(batches)
  local news = 0
  local function write(text)
    news = news + 1
    tool.progress(news, nil, text)
  end
  local function on_lines(event, lines)
    if batches then
      event.event, event.lines = 'lines', lines
      return write(json.encode(event))
    end
    -- Encoding the whole event for each line would dominate the cost of a line.
    local beginning = json.encode(event):sub(1, -2) .. ',"text":'
    for index = 1, #lines do
      write(beginning .. json.encode(lines[index]) .. '}')
    end
  end
  return function(event) write(json.encode(event)) end, on_lines
end

-- What a person wants of a service, and how it stands, by name: the tools of this file are calls of
-- their own.
local lives = { wanted = 'wanted', over = 'over', runs = 'runs', problems = 'problems' }

function lives.get(what, name)
  return (store.get(what) or {})[name]
end

function lives.set(what, name, value)
  local all = store.get(what) or {}
  all[name] = value
  store.set(what, all)
end

local function is_stopping()
  return store.get('stopping') == true
end

local function is_stopped(name)
  return lives.get(lives.wanted, name) == 'stop'
end

-- Whether nothing goes on, and no service was stopped to be started again.
local function all_over(list)
  for _, service in ipairs(list) do
    if not lives.get(lives.over, service.name) or is_stopped(service.name) then
      return false
    end
  end
  return true
end

-- A service has ended. Returns whether it is to be started again.
local function rest(list, name)
  lives.set(lives.over, name, true)
  while not is_stopping() do
    if lives.get(lives.wanted, name) == 'start' then
      lives.set(lives.wanted, name, nil)
      lives.set(lives.over, name, nil)
      return true
    end
    if all_over(list) then
      return false
    end
    time.sleep(REST_MS)
  end
  return false
end

local up = tool {
  name = 'up',
  title = 'Start services',
  description = 'Starts declared services and looks after them until all have ended.',
  permission = 'execute',
  input = schema.object(FIELDS),
  output = schema.object { failed = schema.array(schema.string {}) },
  run = function(args)
    local list = declared(args)
    local on_event, on_lines = reporter(args.batches)
    for _, what in pairs { 'wanted', 'over', 'runs', 'problems' } do
      store.set(what, {})
    end
    local failed = services.run(list, {
      on_event = on_event,
      on_lines = on_lines,
      on_run = function(name, id) lives.set(lives.runs, name, id) end,
      on_problem = function(name, why) lives.set(lives.problems, name, why) end,
      rest = function(name) return rest(list, name) end,
      is_stopped = is_stopped,
      is_stopping = is_stopping,
    })
    store.delete('stopping')
    return { text = #failed .. ' failed', data = { failed = json.array(failed) } }
  end,
}

local stop = tool {
  name = 'up_stop',
  title = 'End services',
  description = 'Ends the services that `up` has started, those first that others do not need.',
  permission = 'execute',
  input = schema.object(FIELDS),
  run = function(args)
    -- A service that is just being started is not in the list yet; `up` ends it itself.
    local list = declared(args)
    store.set('stopping', true)
    services.stop(list, store.get('runs') or {})
    return 'ended'
  end,
}

local function names_of(list)
  local names = {}
  for index, service in ipairs(list) do
    names[index] = service.name
  end
  return table.concat(names, ', ')
end

local function declared_as(list, name)
  for _, service in ipairs(list) do
    if service.name == name then
      return service
    end
  end
end

-- Waits until a condition holds, at most until `limit`.
local function await(limit, what, holds)
  while not holds() do
    if time.monotonic_ms() > limit then
      tool.error('timeout', ('%s within %s'):format(what, time.format_duration(CONTROL_MS)))
    end
    time.sleep(REST_MS)
  end
end

local function end_run(name)
  local id = lives.get(lives.runs, name)
  local handle = id and run.get(id)
  if handle then
    handle:kill()
  end
end

-- Returns a note on the services that come after this one and go on, or ''.
local function dependents_note(list, name, advice)
  local going = {}
  for _, other in ipairs(services.needed_by(list)[name]) do
    if not lives.get(lives.over, other) then
      going[#going + 1] = other
    end
  end
  if #going == 0 then
    return ''
  end
  local says = #going == 1 and '%s comes after it and goes on' or '%s come after it and go on'
  return '; ' .. says:format(table.concat(going, ', ')) .. (advice and advice(going[1]) or '')
end

-- Returns how the newest run of a service stands; nil when it has none.
local function standing(name)
  local id = lives.get(lives.runs, name)
  local handle = id and run.get(id)
  return handle and handle:info()
end

local function stop_one(name, limit)
  if lives.get(lives.over, name) then
    tool.error('not_running', name .. ' is not running')
  end
  lives.set(lives.wanted, name, 'stop')
  end_run(name)
  await(limit, name .. ' has not ended', function() return lives.get(lives.over, name) end)
  return name .. ' stopped'
end

-- Starts a service, which has ended or is ended for it. Returns its new run.
local function start_one(name, limit)
  local before = lives.get(lives.runs, name)
  lives.set(lives.problems, name, nil)
  lives.set(lives.wanted, name, 'start')
  if not lives.get(lives.over, name) then
    end_run(name)
  end
  await(limit, name .. ' has not started', function()
    local why = lives.get(lives.problems, name)
    if why then
      tool.error('start_failed', name .. ' was not started: ' .. why)
    end
    local info = lives.get(lives.runs, name) ~= before and standing(name)
    if info and info.ended_ms and not info.started_ms then
      tool.error('start_failed', ('%s was not started: %s'):format(name, info.reason or info.state))
    end
    return info and info.state ~= 'queued' and info.state ~= 'starting'
  end)
  return lives.get(lives.runs, name)
end

-- Ends the call when a service, which was started for another one, cannot become ready.
local function await_ready(name, other, limit)
  local info = standing(name)
  if info and info.readiness then
    local left = math.max(0, limit - time.monotonic_ms())
    local answer = wait { any = { wait.ready(info.id) }, timeout_ms = left }
    info = standing(name) or info
    if not answer or not answer.ok then
      tool.error('start_failed', ('%s was not started: %s is not ready (%s)'):format(
        other, name, info.readiness_note or info.reason or info.state))
    end
  end
end

-- Starts what a service comes after and what has neither completed nor goes on, the first of them
-- first. Adds a line for each.
local function start_before(list, name, lines, limit)
  for _, other in ipairs(declared_as(list, name).after or {}) do
    local info = standing(other)
    local is_done = info and info.state == 'completed'
    -- It may have ended a moment ago, and up does not know yet.
    local has_ended = lives.get(lives.over, other) or (info and info.ended_ms)
    if has_ended and not is_done then
      start_before(list, other, lines, limit)
      lines[#lines + 1] = ('%s started: %s'):format(other, start_one(other, limit))
      await_ready(other, name, limit)
    end
  end
end

local control = tool {
  name = 'up_control',
  title = 'Restart, stop or start a service',
  description = 'Restarts, stops or starts one service of `up`.',
  permission = 'execute',
  input = schema.object {
    services = FIELDS.services, procfile = FIELDS.procfile, file = FIELDS.file,
    service = schema.string { description = 'Name' },
    action = schema.string { enum = { 'restart', 'stop', 'start' } },
  },
  run = function(args)
    local list, name = declared(args), args.service
    local limit = time.monotonic_ms() + CONTROL_MS
    if not declared_as(list, name) then
      tool.error('service_not_found', ("there is no service '%s'; the services are %s"):format(
        name, names_of(list)))
    end
    if args.action == 'stop' then
      return stop_one(name, limit) .. dependents_note(list, name)
    elseif args.action == 'restart' then
      return ('%s restarted: %s'):format(name, start_one(name, limit))
        .. dependents_note(list, name, function(other)
          return (': gibbous restart %s where it should start anew'):format(other)
        end)
    elseif not lives.get(lives.over, name) then
      tool.error('already_running', ('%s is running; gibbous restart %s'):format(name, name))
    end
    local lines = {}
    start_before(list, name, lines, limit)
    lines[#lines + 1] = ('%s started: %s'):format(name, start_one(name, limit))
    return table.concat(lines, '\n')
  end,
}

return { name = 'up', tools = { up, stop, control } }
