-- How the toolset `background` waits for a service: a port, a line of output, an HTTP answer. It
-- gives up when the named process has ended. Without a name, it gives up when a process has failed
-- and no other process runs that could provide the service.
local any_run = require 'toolsets.any_run'
local background_port = require 'toolsets.background.port'
local checked = require 'toolsets.checked'
local condition = require 'toolsets.condition'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local marks = require 'toolsets.marks'
local own_runs = require 'toolsets.own_runs'
local reading = require 'toolsets.reading'
local wait_text = require 'toolsets.wait.text'

local M = {}

local MAX_CANDIDATES = 60 -- processes that one wait looks at

-- Returns information on a run, even if the run has been forgotten since.
local function facts(id)
  local handle = run.get(id)
  return handle and handle:info()
    or { id = id, state = 'lost', reason = 'not remembered any more', left_behind = 0 }
end

-- Returns the runs of the session whose leader still runs. A service can outlive the shell that
-- started it.
local function still_running(owner)
  local running = {}
  for _, info in ipairs(own_runs.alive(owner)) do
    if not info.ended_ms then
      running[#running + 1] = info
    end
  end
  return running
end

-- Returns the processes whose output is searched: the named one; otherwise the running ones,
-- newest first, and those that completed. If none runs, all are searched.
local function with_output(owner, id)
  if id then
    return { (any_run.known(id)) }
  end
  local all = own_runs.list(owner)
  local some_run = #own_runs.alive(owner) > 0
  local running, ended = {}, {}
  for index = #all, 1, -1 do
    local info = all[index]
    if not info.ended_ms or info.left_behind > 0 then
      running[#running + 1] = info
    elseif not some_run or info.state == 'completed' then
      ended[#ended + 1] = info
    end
  end
  if #running + #ended == 0 then
    tool.error('invalid_arguments', 'args.output_regex: there is no background process to look '
      .. 'at; start one with run_background')
  end
  for index = 1, math.min(#ended, math.max(0, MAX_CANDIDATES - #running)) do
    running[#running + 1] = ended[index]
  end
  return running
end

-- Returns the id while the process, or one that it left behind, still runs.
local function while_it_runs(id)
  local handle = id and run.get(id)
  local info = handle and handle:info()
  return info and (not info.ended_ms or info.left_behind > 0) and id or nil
end

-- Ends the call: no process runs that could make the condition true.
local function impossible(what, info)
  local why = failure.of_end(info, reading.background)
  local message = 'waited for %s in vain: process %s ended (%s)'
  tool.tells(info.id)
  tool.error('cannot_happen', message:format(what, info.id, info.reason or info.state)
    .. format.below(why), { id = info.id })
end

-- Ends the call: the time is over. Says why the output of a process may not have come.
local function timed_out(what, seconds, infos, about_output)
  local ids = {}
  for index, info in ipairs(infos) do
    ids[index] = info.id
  end
  tool.error('timeout', ('timed out after %g s waiting for %s%s'):format(
    seconds, what, wait_text.silence(ids, about_output)))
end

-- Returns the processes whose end matters: the named one, or all of the session.
local function watched(owner, id, what)
  if not id then
    return own_runs.alive(owner)
  end
  local info = any_run.known(id)
  if info.state ~= 'running' and info.left_behind == 0 then
    impossible(what, info)
  end
  return { info }
end

-- Returns the condition and the exit conditions of the running processes.
local function with_ends(wanted, infos)
  local any = { wanted }
  for index = 1, math.min(#infos, MAX_CANDIDATES) do
    any[#any + 1] = wait.exit(infos[index].id)
  end
  return any
end

local function checked_wait(conditions, deadline)
  local options = { any = conditions, timeout_ms = math.max(0, deadline.at - time.monotonic_ms()) }
  condition.check(options, 'args.')
  return checked(wait(options))
end

-- Waits for a port or a URL of the named process, or of any.
local function wait_outside(owner, id, what, wanted, deadline)
  local infos = watched(owner, id, what)
  while true do
    local answer = checked_wait(with_ends(wanted, infos), deadline)
    if answer.obstacle then
      tool.error('cannot_happen', ('waited for %s in vain: %s'):format(what, answer.obstacle))
    elseif not answer.ok and answer.reason == 'impossible' then
      impossible(what, facts(answer.run))
    elseif not answer.ok then
      timed_out(what, deadline.seconds, infos, false)
    end
    if answer.fired[1].kind ~= 'exit' then
      return answer.fired[1]
    end
    local ended = facts(answer.fired[1].run)
    local given_up = id or (ended.state ~= 'completed' and #own_runs.alive(owner) == 0)
    if given_up and ended.left_behind == 0 then
      impossible(what, ended)
    end
    infos = id and {} or still_running(owner)
  end
end

-- Waits for a line in the output of one of the processes.
local function wait_for_line(pattern, infos, deadline, session)
  local conditions = {}
  for index = 1, math.min(#infos, MAX_CANDIDATES) do
    conditions[index] = wait.regex(infos[index].id, pattern)
  end
  local answer = checked_wait(conditions, deadline)
  marks.tell_answer(answer, session)
  if answer.ok then
    return answer.fired[1]
  end
  if answer.reason == 'timeout' then
    timed_out('a line that matches ' .. pattern, deadline.seconds, infos, true)
  end
  impossible('a line that matches ' .. pattern, facts(answer.run))
end

-- Returns the id of the process that the arguments name, once it has left the queue.
local function reach(args, deadline)
  local info, handle = any_run.known(args.id)
  if not handle and not info.ended_ms then
    local left = any_run.started_within(info.id, deadline.at - time.monotonic_ms())
    if not left then
      tool.error('timeout', ('%s is queued: %s'):format(info.id, any_run.place_text(info.id)))
    end
  end
  return info.id
end

--- Waits until all that the arguments ask for is true: output_regex, port and http. Ends the call
--- with timeout, or with cannot_happen and the last output.
---
--- Example: `local data = background_wait.service(owner, { port = 3000, timeout = 30 })`
---@param owner Owner
---@param args { port?: integer, output_regex?: string, http?: string, id?: string,
---timeout: number }
---@return table data what came true
function M.service(owner, args)
  local started = time.monotonic_ms()
  local deadline = { at = started + args.timeout * 1000, seconds = args.timeout }
  local data = {}
  args.id = args.id and reach(args, deadline)
  data.id = args.id
  if args.output_regex and args.id and not run.get(args.id) then
    data.line = any_run.recorded_line(args.id, args.output_regex)
      or impossible('a line that matches ' .. args.output_regex, any_run.known(args.id))
  elseif args.output_regex then
    local infos = with_output(owner, args.id)
    local fired = wait_for_line(args.output_regex, infos, deadline, owner.session)
    data.id, data.line = fired.run, fired.line
  end
  for _, what in ipairs { 'port', 'http' } do
    if args[what] then
      local about = args.id or while_it_runs(data.id)
      local place = args[what]
      if about and what == 'port' then
        place = background_port.own(facts(about), place)
      end
      local wanted = wait[what](place, { run = about }) -- the run may map its ports
      local fired = wait_outside(owner, about, what .. ' ' .. args[what], wanted, deadline)
      data.port = fired.port or data.port
      data.address = fired.address or data.address
      data.status = fired.status or data.status
    end
  end
  data.elapsed_ms = math.floor(time.monotonic_ms() - started)
  return data
end

return M
