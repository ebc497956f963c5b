-- The toolset `wait`: one tool that waits, so that an agent need not poll.
local any_run = require 'toolsets.any_run'
local checked = require 'toolsets.checked'
local condition = require 'toolsets.condition'
local conditions_of = require 'toolsets.wait.conditions'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local marks = require 'toolsets.marks'
local reading = require 'toolsets.reading'
local resume = require 'toolsets.wait.resume'
local shape = require 'toolsets.wait.shape'
local shaped = require 'toolsets.shaped'
local text = require 'toolsets.wait.text'

-- An agent that waits has nothing else to do: clients that know tasks wake it.
local TASK_AFTER_MS = 2000

-- Waits until queued runs have started. Returns the milliseconds that are left, and the records of
-- runs that only the journal knows any more.
local function reach(ids, timeout_ms, keep)
  local left, gone = timeout_ms, {}
  for _, id in ipairs(ids) do
    local handle, record = run.get(id), nil
    if not handle then
      handle, record = any_run.find(id)
    end
    if not handle and not record.ended_ms then
      left = any_run.started_within(id, left)
      if not left then
        local handle_to_go_on = keep()
        tool.error('timeout', ('%s is queued: %s%s'):format(
          id, any_run.place_text(id), resume.hint(handle_to_go_on)), { resume = handle_to_go_on })
      end
      handle, record = any_run.find(id)
    end
    if not handle then
      gone[#gone + 1] = record
    end
  end
  return left, gone
end

-- Returns the argument `since` in the form in which a wait goes on: where the lines of each process
-- begin that count; and the same as offsets of this server. A wait that is resumed, or repeated as
-- a task by the next server, does not count from later than its first call did.
local function since_of(given, ids, ctx)
  local kept, behind = {}, {}
  for _, id in ipairs(ids) do
    local handle = run.get(id)
    local info = handle and handle:info()
    local fixed = type(given) == 'table' and given[id]
    kept[id], behind[id] = {}, {}
    for stream, offset in pairs(fixed or marks.behind(handle, ctx.session, given)) do
      -- An earlier server may have read the beginning.
      local origin = info and info[stream].origin or 0
      kept[id][stream] = fixed and offset or offset + origin
      behind[id][stream] = math.max(0, kept[id][stream] - origin)
    end
  end
  return kept, behind
end

-- Adds how a run ended to an exit that came true.
local function with_end(fired)
  local handle = fired.kind == 'exit' and run.get(fired.run)
  local info = handle and handle:info()
  if info then
    fired.state, fired.exit_code, fired.reason = info.state, info.exit_code, info.reason
  end
  return fired
end

-- Returns the one process of the session whose end makes a wait for a port, a URL or a file that
-- names no process hopeless; nil when there are several, or none.
local function only_candidate(args, ids)
  local outside = args.port or args.http or args.file
  if #ids > 0 or not outside or args.timer_ms or args.mode == 'all' then
    return nil
  end
  local going = {}
  for _, info in ipairs(run.list()) do
    if info.background and not info.ended_ms then
      going[#going + 1] = info.id
    end
  end
  return #going == 1 and going[1] or nil
end

-- Waits for the conditions, and no longer once the only candidate has failed. One that ends well
-- may have started what is waited for elsewhere.
local function wait_with(conditions, mode, candidate, timeout_ms)
  if not candidate then
    return checked(wait { [mode] = conditions, timeout_ms = timeout_ms })
  end
  local any = { unpack(conditions) }
  any[#any + 1] = wait.exit(candidate)
  local answer = checked(wait { any = any, timeout_ms = timeout_ms })
  local fired = answer.fired[1]
  if not fired or fired.index < #any then
    return answer
  end
  local handle = run.get(candidate)
  local info = handle and handle:info()
  if info and (info.state == 'completed' or info.left_behind > 0) then
    local left = math.max(0, timeout_ms - answer.elapsed_ms)
    return checked(wait { any = conditions, timeout_ms = left })
  end
  return {
    ok = false, reason = 'impossible', run = candidate, fired = {}, elapsed_ms = answer.elapsed_ms,
    message = ('run %s, the only process of this session, ended (%s) first'):format(
      candidate, info and info.reason or 'forgotten'),
  }
end

-- Answers for a run that ended before memory forgot it: its end has come, or its output has the
-- line; nothing else can.
local function answer_ended(record, args)
  local function answer(text_of_it, fired)
    fired.index, fired.run = 1, record.id
    return { text = text_of_it, data = { fired = json.array { fired }, elapsed_ms = 0 } }
  end
  local line, stream
  if args.output_regex then
    line, stream = any_run.recorded_line(record.id, args.output_regex)
  end
  if line then
    return answer(('%s of %s has the line: %s (before the wait)'):format(stream, record.id, line),
      { kind = 'regex', stream = stream, line = line })
  end
  local end_text = ('%s ended: %s, %s'):format(
    record.id, record.state, record.reason or 'no reason known')
  local why = failure.of(record, reading.bg)
  if not record.ended_ms then
    tool.error('cannot_happen', record.id .. ' runs under another process of Gibbous')
  elseif not args.exit or (args.mode == 'all' and #(args.ids or {}) > 1) then
    tool.error('cannot_happen', end_text .. format.below(why))
  end
  return answer(end_text .. ' (before the wait)' .. format.below(why), {
    kind = 'exit', state = record.state, exit_code = record.exit_code, reason = record.reason,
  })
end

local wait_for = tool {
  name = 'wait_for',
  title = 'Wait for something to happen',
  description = 'Wait for the first; fails once it cannot happen.',
  permission = 'read',
  task = TASK_AFTER_MS,
  input = shape.INPUT,
  output = shape.OUTPUT,
  run = function(args, ctx)
    local began_ms = time.now_ms()
    if args.resume then
      args = resume.restore(args, ctx)
    end
    local ids = { unpack(args.ids or {}) }
    if args.id then
      ids[#ids + 1] = args.id
    end
    for index, name in ipairs(ids) do
      ids[index] = any_run.id_of(name)
    end
    args.id = args.id and ids[#ids]
    args.stream = args.stream or (tonumber(args.since) and 'stdout' or nil) -- as an offset needs
    local behind
    args.since, behind = since_of(args.since, ids, ctx)
    tool.repeat_with(args) -- a handle to resume is gone now, and a task may outlive the server
    local longest_ms = ctx.settings.answer_within_ms
    args.timeout = longest_ms and math.min(args.timeout, longest_ms) or args.timeout
    local conditions = conditions_of(args, ids, ctx, behind)
    condition.check { [args.mode] = conditions }
    local function keep()
      return resume.keep(args, ids, ctx, began_ms)
    end
    local left, gone = reach(ids, args.timeout, keep)
    if gone[1] then
      tool.tells(gone[1].id)
      return answer_ended(gone[1], args)
    end
    local answer = wait_with(conditions, args.mode, only_candidate(args, ids), left)
    text.tell(answer)
    marks.tell_answer(answer, ctx.session)
    if not answer.ok then
      local why = marks.hint(answer) .. text.why_not(answer)
      local code = answer.reason == 'timeout' and 'timeout' or 'cannot_happen'
      local handle = code == 'timeout' and keep() or nil
      if code == 'timeout' then
        why = why .. text.silence(ids, (args.output_regex or args.input) ~= nil)
        why = why .. resume.hint(handle)
      end
      tool.error(code, answer.message .. why, {
        run = answer.run, fired = json.array(answer.fired), elapsed_ms = answer.elapsed_ms,
        resume = handle,
      })
    end
    local lines, reasons = {}, {}
    for index, fired in ipairs(answer.fired) do
      lines[index], reasons[index] = text.describe(with_end(fired))
    end
    local elapsed_ms = math.floor(answer.elapsed_ms + args.timeout - left) -- in the queue, too
    lines[#lines] = ('%s (after %s)'):format(lines[#lines], time.format_duration(elapsed_ms))
    return {
      text = shaped.with_reasons(lines, reasons, 'bg_status with id'),
      data = { fired = json.array(answer.fired), elapsed_ms = elapsed_ms },
    }
  end,
}

return { name = 'wait', settings = shape.SETTINGS, tools = { wait_for } }
