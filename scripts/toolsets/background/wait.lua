-- How the toolset `background` waits for a service: a port, a line of output, an HTTP answer. It
-- gives up when the named process has ended. Without a name, it gives up when a process has failed
-- and no other process runs that could provide the service.
local any_run = require 'toolsets.any_run'
local background_port = require 'toolsets.background.port'
local candidates = require 'toolsets.background.candidates'
local checked = require 'toolsets.checked'
local condition = require 'toolsets.condition'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local marks = require 'toolsets.marks'
local own_runs = require 'toolsets.own_runs'
local reading = require 'toolsets.reading'
local wait_text = require 'toolsets.wait.text'

local M = {}

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
  for index = 1, math.min(#infos, candidates.MAX) do
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
      impossible(what, candidates.facts(answer.run))
    elseif not answer.ok then
      timed_out(what, deadline.seconds, infos, false)
    end
    if answer.fired[1].kind ~= 'exit' then
      return answer.fired[1]
    end
    local ended = candidates.facts(answer.fired[1].run)
    local given_up = id or (ended.state ~= 'completed' and #own_runs.alive(owner) == 0)
    if given_up and ended.left_behind == 0 then
      impossible(what, ended)
    end
    infos = id and {} or candidates.still_running(owner)
  end
end

-- Waits for a line in the output of one of the processes.
local function wait_for_line(pattern, infos, deadline, session)
  local conditions = {}
  for index = 1, math.min(#infos, candidates.MAX) do
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
  impossible('a line that matches ' .. pattern, candidates.facts(answer.run))
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

-- Returns the line of a run that only the journal knows; nothing else can come from it.
local function recorded_line(id, pattern)
  local found, err = journal.grep(id, { pattern = pattern })
  if not found and err.code == 'invalid_arguments' then
    tool.error(err.code, (err.message:gsub('^pattern', 'args.output_regex')))
  end
  for _, stream in ipairs { 'stdout', 'stderr' } do
    local line = found and found[stream].matches > 0 and found[stream].text:match '^%d+:([^\n]*)'
    if line then
      return line
    end
  end
  impossible('a line that matches ' .. pattern, any_run.known(id))
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
    data.line = recorded_line(args.id, args.output_regex)
  elseif args.output_regex then
    local infos = candidates.with_output(owner, args.id)
    local fired = wait_for_line(args.output_regex, infos, deadline, owner.session)
    data.id, data.line = fired.run, fired.line
  end
  for _, what in ipairs { 'port', 'http' } do
    if args[what] then
      local about = args.id or candidates.while_it_runs(data.id)
      local place = args[what]
      if about and what == 'port' then
        place = background_port.own(candidates.facts(about), place)
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
