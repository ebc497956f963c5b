-- How the toolset `background` waits for a service: a port, a line of output, an HTTP answer. It
-- gives up as soon as nothing runs any more that could bring the service.
local format = require 'toolsets.bg_format'
local own_runs = require 'toolsets.own_runs'

local M = {}

local TAIL_LINES = 20
local TAIL_BYTES = 4096

local function tail_of(id)
  local handle = run.get(id)
  local text = ''
  for _, stream in ipairs { 'stdout', 'stderr' } do
    local part = handle and handle:tail {
      stream = stream, lines = TAIL_LINES, max_bytes = TAIL_BYTES,
    }
    text = text .. (part and part.text or '')
  end
  return text
end

-- Ends the call: nothing runs that could make it come true.
local function impossible(what, info)
  local tail = tail_of(info.id)
  local message = 'waited for %s in vain: process %s ended (%s)'
  tool.error('cannot_happen', message:format(what, info.id, info.reason or info.state)
    .. (tail ~= '' and '\nLast output:\n' .. tail or ''), { id = info.id, tail = tail })
end

local function timed_out(what, seconds)
  tool.error('timeout', ('timed out after %g s waiting for %s'):format(seconds, what))
end

-- The processes that are watched for their end: the one that is named, or all of the session.
local function watched(owner, id, what)
  if not id then
    return own_runs.alive(owner)
  end
  local info = format.find(id):info()
  if info.state ~= 'running' and info.left_behind == 0 then
    impossible(what, info)
  end
  return { info }
end

-- The condition, and the end of each process that still goes on.
local function with_ends(condition, infos)
  local any = { condition }
  for _, info in ipairs(infos) do
    any[#any + 1] = wait.exit(info.id)
  end
  return any
end

-- Those that have processes still: a service may live on without the shell that started it.
local function still_alive(infos)
  local alive = {}
  for _, info in ipairs(infos) do
    local handle = run.get(info.id)
    local now = handle and handle:info()
    if now and not now.ended_ms then
      alive[#alive + 1] = now
    end
  end
  return alive
end

-- The argument that a kind of condition was made from.
local ARGUMENT_OF = { regex = 'output_regex' }

-- Waits. A pattern or URL that is wrong raises, as wrong use does; here it is the model's mistake.
local function checked_wait(conditions, deadline)
  local ok, answer, err = pcall(wait, {
    any = conditions, timeout_ms = math.max(0, deadline.at - time.monotonic_ms()),
  })
  if not ok then
    local kind, why = tostring(answer):match('wait: condition %d+ %((%a+)%): (.*)$')
    if not kind then
      error(answer, 0)
    end
    tool.error('invalid_arguments', ('args.%s: %s'):format(ARGUMENT_OF[kind] or kind, why))
  end
  if not answer then
    tool.error(err.code, err.message)
  end
  return answer
end

-- Waits for a port or a URL, and fails when all processes have ended.
local function wait_outside(what, condition, infos, deadline)
  while true do
    local answer = checked_wait(with_ends(condition, infos), deadline)
    if not answer.ok and answer.reason == 'impossible' then
      impossible(what, run.get(answer.run):info())
    elseif not answer.ok then
      timed_out(what, deadline.seconds)
    end
    if answer.fired[1].kind ~= 'exit' then
      return answer.fired[1]
    end
    local last = run.get(answer.fired[1].run):info()
    infos = still_alive(infos)
    if #infos == 0 and last.left_behind == 0 then
      impossible(what, last)
    end
  end
end

-- Waits for a line of one of the processes.
local function wait_for_line(pattern, infos, deadline)
  local conditions = {}
  for index, info in ipairs(infos) do
    conditions[index] = wait.regex(info.id, pattern)
  end
  local answer = checked_wait(conditions, deadline)
  if answer.ok then
    return answer.fired[1]
  end
  if answer.reason == 'timeout' then
    timed_out('a line that matches ' .. pattern, deadline.seconds)
  end
  impossible('a line that matches ' .. pattern, run.get(answer.run):info())
end

local function processes_with_output(owner, id)
  if id then
    return { format.find(id):info() }
  end
  local infos = own_runs.alive(owner)
  if #infos > 0 then
    return infos
  end
  local all = own_runs.list(owner)
  if #all > 0 then
    impossible('a line of output', all[#all])
  end
  tool.error('invalid_arguments', 'args.output_regex: there is no background process to look '
    .. 'at; start one with run_background')
end

--- Waits until everything that the arguments ask for has come true: output_regex, port and http.
--- Ends the call with timeout, or with cannot_happen and the last output.
---
--- Example: `local data = background_wait.service(owner, { port = 3000, timeout = 30 })`
---@param owner Owner
---@param args { port?: integer, output_regex?: string, http?: string, id?: string,
---timeout: number }
---@return table data what came true
function M.service(owner, args)
  local started = time.monotonic_ms()
  local deadline = { at = started + args.timeout * 1000, seconds = args.timeout }
  local data = { id = args.id }
  if args.output_regex then
    local infos = processes_with_output(owner, args.id)
    local fired = wait_for_line(args.output_regex, infos, deadline)
    data.id, data.line = fired.run, fired.line
  end
  for _, what in ipairs { 'port', 'http' } do
    if args[what] then
      local name = what .. ' ' .. args[what]
      local infos = watched(owner, data.id, name)
      local condition = wait[what](args[what], { run = data.id }) -- which may map its ports
      local fired = wait_outside(name, condition, infos, deadline)
      data.port = fired.port or data.port
      data.address = fired.address or data.address
      data.status = fired.status or data.status
    end
  end
  data.elapsed_ms = math.floor(time.monotonic_ms() - started)
  return data
end

return M
