-- Services: commands that depend on one another, with `after`, `ready` and `restart` of run.start
-- by name. A library: `gibbous up` (toolsets/up.lua) follows services until they end, and the
-- toolset `services` leaves them running.
local declaration = require 'services.declaration'
local output = require 'services.output'
local port = require 'services.port'

local M = {}

local DEFAULT_RESTARTS = 3
local ENDED_BEFORE = 'killed before it started'

---@class Service
---@field name string
---@field command? string this or argv, as for run.start
---@field argv? string[]
---@field cwd? string
---@field env? table<string, string>
---@field executor? string|table
---@field ports? string[]
---@field limits? Limits
---@field ready? Condition|WaitOptions when it is ready; none: as soon as it runs
---@field ready_timeout_ms? integer default: 60000, or what `ready` says
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
---@field stopped? boolean exited, not_started: all are being ended, so that nothing is wrong

--- Checks declarations: see declaration.lua.
---
--- Example: `services.check { { name = 'web', command = 'npm start' } }`
M.check = declaration.check

--- Returns the services of a Procfile: see declaration.lua.
---
--- Example: `services.parse_procfile('web: npm start\nworker: npm run worker\n')`
M.parse_procfile = declaration.parse_procfile

local function why_not(err)
  if err.code ~= 'needs_approval' then
    return err.message
  end
  if err.message:find('gibbous asks', 1, true) then
    return 'it needs approval: ' .. err.message
  end
  return 'it needs approval, and no person can be asked here: ' .. err.message
    .. ' `gibbous policy explain` names the rule; allow it in a policy of your own'
    .. ' (docs/policy.md), or choose another mode.'
end

-- Starts a service. Returns nil and the reason when a policy or an executor refuses, or for what no
-- check can know.
local function start(service, after, detach)
  local options = declaration.start_options(service)
  options.label, options.timeout_ms, options.detach = service.name, 0, detach
  options.after = #after > 0 and after or nil
  local good, handle, err = pcall(run.start, options)
  if not good then
    return nil, tostring(handle)
  end
  return handle, err and why_not(err)
end

-- Starts a service behind others. Returns nil and the reason when one of them was not started.
local function start_behind(service, handles, known, detach)
  local after = {}
  for index, name in ipairs(service.after or {}) do
    after[index] = handles[name] or known[name]
    if not after[index] then
      return nil, name .. ' was not started'
    end
  end
  return start(service, after, detach)
end

---@class ServiceStartOptions
---@field known? table<string, Run> others that services may come after, by name
---@field on_run? fun(name: string, run: string) this is its run now
---@field is_stopping? fun(): boolean true: nothing more is started, and what just was is killed

--- Starts services in the order of `after`. Returns handles by name, and for services that could
--- not be started the reasons by name. Raises an error for wrong declarations.
---
--- Example: `local handles, problems = services.start(list, true)`
---@param list Service[]
---@param detach boolean they outlive the call
---@param options? ServiceStartOptions
---@return table<string, Run> handles
---@return table<string, string> problems
function M.start(list, detach, options)
  options = options or {}
  local known = options.known or {}
  M.check(list, known)
  local handles, problems = {}, {}
  for _, service in ipairs(M.in_order(list)) do
    local name = service.name
    local why
    if options.is_stopping and options.is_stopping() then
      why = ENDED_BEFORE
    else
      handles[name], why = start_behind(service, handles, known, detach)
    end
    problems[name] = why
    if handles[name] and options.on_run then
      options.on_run(name, handles[name].id)
    end
    if handles[name] and options.is_stopping and options.is_stopping() then
      -- The call that stops services did not know of this one.
      task.spawn(handles[name].kill, handles[name])
    end
  end
  return handles, problems
end

-- Returns information on a run, even if the run has been forgotten since.
local function facts(handle)
  return handle:info() or { state = 'lost', reason = 'is not remembered any more', ended_ms = 0 }
end

-- Reports when a service is ready, or that it cannot become ready. Without `ready`, a service is
-- ready once it has started.
local function report_readiness(service, handle, report, report_lines)
  local asked = facts(handle).readiness ~= nil
  local answer = asked and handle:wait { wait.ready(handle) }
  local note = facts(handle).readiness_note
  if not asked or (answer and answer.ok) then
    report { event = 'ready', run = handle.id, text = note }
    local doubt = port.doubt(service, handle)
    if doubt then
      report_lines(handle.id, 'stderr', { '[gibbous: ' .. doubt .. ']' })
    end
  else
    report { event = 'not_ready', run = handle.id, text = note or (answer and answer.message) }
  end
end

-- Returns why a run ended; for one that was killed, also that it obeyed the signal.
local function why_ended(info)
  local asked = info.exit_code and (info.reason or ''):match '^killed with (SIG%u+)$'
  return asked and ('exit code %d after %s'):format(info.exit_code, asked) or info.reason
end

-- Reports a run that ended before it started.
local function report_no_start(handle, info, report)
  if info.state == 'killed' and info.restarts then
    -- The service had run before; it was waiting for its restart.
    report {
      event = 'exited', run = handle.id, state = info.state,
      text = 'in the pause before it was started again',
    }
  else
    local why = (info.reason or 'it is gone'):gsub('^not started: ', '')
    report { event = 'not_started', run = handle.id, text = why }
  end
end

-- Reports everything about one run until it ends, and returns its information.
local function accompany(service, handle, report, report_lines)
  local answer = handle:wait { wait.start(handle) }
  local info = facts(handle)
  if not answer or not answer.ok then
    report_no_start(handle, info, report)
    return info
  end
  report { event = 'started', run = handle.id, pid = info.pid, ports = info.ports }
  local getting_ready = task.spawn(report_readiness, service, handle, report, report_lines)
  output.follow(handle, function(stream, lines)
    report_lines(handle.id, stream, lines)
  end)
  getting_ready:await()
  local ended = facts(handle)
  report {
    event = 'exited', run = handle.id, exit_code = ended.exit_code, state = ended.state,
    text = why_ended(ended),
  }
  return ended
end

local function most_restarts(service)
  local restart = service.restart
  return type(restart) == 'table' and restart.max or (restart and DEFAULT_RESTARTS) or 0
end

-- Tells whether a run ended by itself, and badly.
local function has_failed(ended)
  return ended.state == 'failed' or ended.state == 'lost' or ended.limit ~= nil
end

-- Follows a service through its restarts. Returns whether it completed in the end.
local function look_after(service, handle, report, report_lines, on_run)
  local most = most_restarts(service)
  while true do
    local ended = accompany(service, handle, report, report_lines)
    local restarts = ended.restarts or 0
    handle = ended.next and run.get(ended.next)
    if not handle then
      if most > 0 and restarts == most and has_failed(ended) then
        local often = most == 1 and 'once' or most .. ' times'
        report { event = 'gave_up', text = 'it was started again ' .. often }
      end
      return ended.state == 'completed'
    end
    on_run(service.name, handle.id)
    report { event = 'restarted', text = ('%d of %d'):format(restarts + 1, most) }
  end
end

-- Returns those that a service comes after and whose runs go on.
local function going_before(service, runs)
  local handles = {}
  for _, name in ipairs(service.after or {}) do
    local handle = runs[name] and run.get(runs[name])
    if handle and not facts(handle).ended_ms then
      handles[#handles + 1] = handle
    end
  end
  return handles
end

-- Follows a service for as long as it may be started again. Returns whether it completed at last.
local function live(service, handle, problem, ways)
  local hooks, completed = ways.hooks, false
  while true do
    if handle then
      completed = look_after(service, handle, ways.report, ways.report_lines, ways.on_run)
    else
      ways.report { event = 'not_started', text = problem }
    end
    if not hooks.rest or not hooks.rest(service.name) then
      return completed
    end
    completed = false
    handle, problem = start(service, going_before(service, ways.runs), false)
    if handle then
      ways.on_run(service.name, handle.id)
      if hooks.is_stopping and hooks.is_stopping() then
        task.spawn(handle.kill, handle) -- the call that stops services did not know of this one
      end
    elseif hooks.on_problem then
      hooks.on_problem(service.name, problem)
    end
  end
end

--- Returns services in an order in which each follows those that it comes after.
---
--- Example: `local first = services.in_order(list)[1].name`
---@param list Service[]
---@return Service[]
function M.in_order(list)
  local by_name, placed, order = {}, {}, {}
  for _, service in ipairs(list) do
    by_name[service.name] = service
  end
  local function place(service)
    if not service or placed[service.name] then
      return -- it is one of `known`
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

--- Returns a text in which names of services replace the ids of their runs.
---
--- Example: `services.with_names('run Ab3xK9mZ ended', { Ab3xK9mZ = 'db' }) == 'db ended'`
---@param text string
---@param names table<string, string> by the ids of runs
---@return string
function M.with_names(text, names)
  text = text:gsub('run (%w+)', names)
  return (text:gsub('%w+', names))
end

---@class ServiceHooks: ServiceStartOptions
---@field rest? fun(name: string): boolean suspends while a service has ended; true: start it again,
---false: it has ended for good; default: false at once
---@field is_stopped? fun(name: string): boolean a person has stopped it, so that nothing is wrong
---@field on_problem? fun(name: string, why: string) it was not started again
---@field on_event fun(event: ServiceEvent)
---@field on_lines? fun(event: ServiceEvent, lines: string[]) default: on_event for each; for
---many: the event is the same for all, but for `text`

--- Starts services and follows them until all have ended for good. Returns the names of those that
--- did not complete. Raises an error for wrong declarations.
---
--- Example: `local failed = services.run(list, { on_event = print_event })`
---@param list Service[]
---@param hooks ServiceHooks
---@return string[]
function M.run(list, hooks)
  local names, runs = {}, {}
  local function on_run(name, id)
    names[id], runs[name] = name, id
    if hooks.on_run then
      hooks.on_run(name, id)
    end
  end
  local options = { on_run = on_run, is_stopping = hooks.is_stopping }
  local handles, problems = M.start(list, false, options)
  local lives = {}
  local stopping = hooks.is_stopping or function() return false end
  for _, service in ipairs(list) do
    local name = service.name
    local function report(event)
      local stopped = stopping() or (hooks.is_stopped ~= nil and hooks.is_stopped(name))
      if stopped and event.event == 'not_ready' then
        return -- it no longer matters
      end
      local over = event.event == 'not_started' or event.state == 'killed'
      event.service, event.stopped = name, stopped and over or nil
      event.text = event.text and M.with_names(event.text, names)
      hooks.on_event(event)
    end
    local function report_lines(id, stream, lines)
      local event = { event = 'line', service = name, run = id, stream = stream }
      if hooks.on_lines then
        return hooks.on_lines(event, lines)
      end
      for _, line in ipairs(lines) do
        event.text = line
        hooks.on_event(event)
      end
    end
    lives[name] = task.spawn(live, service, handles[name], problems[name], {
      report = report, report_lines = report_lines, on_run = on_run, hooks = hooks, runs = runs,
    })
  end
  local failed = {}
  for _, service in ipairs(list) do
    local life = lives[service.name]
    if not life:await() then
      failed[#failed + 1] = service.name
    end
  end
  return failed
end

--- Returns, for each service, the names of those that come after it.
---
--- Example: `local behind = services.needed_by(list).db`
---@param list Service[]
---@return table<string, string[]>
function M.needed_by(list)
  local names = {}
  for _, service in ipairs(list) do
    names[service.name] = {}
  end
  for _, service in ipairs(list) do
    for _, name in ipairs(service.after or {}) do
      local behind = names[name]
      behind[#behind + 1] = service.name
    end
  end
  return names
end

--- Ends the runs of services in parallel, each once those that need it have ended.
---
--- Example: `services.stop(list, { web = 'Ab3xK9mZ' })`
---@param list Service[]
---@param runs table<string, string> ids, by the name of the service
function M.stop(list, runs)
  local behind, ends = M.needed_by(list), {}
  local function stop(name)
    for _, other in ipairs(behind[name]) do
      ends[other]:await()
    end
    local handle = runs[name] and run.get(runs[name])
    if handle then
      handle:kill()
    end
  end
  local order = M.in_order(list)
  for index = #order, 1, -1 do
    local name = order[index].name
    ends[name] = task.spawn(stop, name)
  end
  for _, each in pairs(ends) do
    each:await()
  end
end

return M
