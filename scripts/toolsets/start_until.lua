-- A start that waits: `until` names what makes the process useful. The answer is that fact, or at
-- once why it can no longer come; when the wait limit comes first, the process goes on.
local any_run = require 'toolsets.any_run'
local buffering = require 'toolsets.buffering'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local marks = require 'toolsets.marks'
local reading = require 'toolsets.reading'
local shaped = require 'toolsets.shaped'

local M = {}

local DEFAULT_WAIT_MS = 30000
local MAX_WAIT_MS = 600000
local LINE_BYTES = 300

-- Names in `until`, in the order in which a missing one is suggested.
local KINDS = 'line, port, http, exit, quiet or input'

M.UNTIL = schema.object({
  line = schema.string { description = 'RE2 of an output line', optional = true },
  port = schema.integer { minimum = 1, maximum = 65535, optional = true },
  http = schema.string { optional = true },
  exit = schema.boolean { optional = true },
  quiet = schema.number { description = 'ms', minimum = 1, optional = true },
  input = schema.boolean { optional = true },
  timeout = schema.number {
    description = 'ms (30000)', minimum = 0, maximum = MAX_WAIT_MS, optional = true,
  },
}, {
  description = 'Wait for the first; answers with it or why not',
  optional = true,
})

M.STDIN = schema.boolean {
  description = 'Keep stdin open to type into it without pty; default: with until input',
  optional = true, rare = true,
}

--- Returns the stdin of a start: open where it is asked for or waited for, otherwise at its end, so
--- that a program that reads it does not hang.
---@param args table
---@return 'pipe'?
function M.stdin_of(args)
  local asked = args['until']
  local wanted = args.stdin
  if wanted == nil then
    wanted = asked and asked.input
  end
  return wanted and not args.pty and 'pipe' or nil
end

M.OUTCOME = schema.object({
  outcome = schema.string {
    enum = { 'ready', 'failed', 'not_ready' },
    description = 'failed: it ended, or cannot get there; not_ready: the wait limit came first',
  },
  kind = schema.string { optional = true, description = 'ready: which of them' },
  line = schema.string { optional = true },
  age_ms = schema.integer {
    optional = true, description = 'line: it was there already, for so long',
  },
  port = schema.integer { minimum = 1, maximum = 65535, optional = true },
  url = schema.string { optional = true },
  status = schema.integer { optional = true },
  state = schema.string {},
  exit_code = schema.integer { optional = true },
  reason = schema.string { optional = true },
  thrown_away = schema.string { optional = true, description = 'What it changed in a copy' },
  elapsed_ms = schema.integer { description = 'Since the start' },
  hint = buffering.FIELD,
  output = schema.string { optional = true, description = 'All, its end, or its first errors' },
}, { optional = true })

-- Returns the conditions that `asked` names, about this run; `since`: the lines that count.
local function conditions_of(asked, id, since)
  local list = {}
  if asked.line then
    list[#list + 1] = wait.regex(id, asked.line, { since = since })
  end
  if asked.port then
    list[#list + 1] = wait.port(asked.port, { run = id })
  end
  if asked.http then
    list[#list + 1] = wait.http(asked.http, { run = id })
  end
  if asked.exit then
    list[#list + 1] = wait.exit(id)
  end
  if asked.quiet then
    list[#list + 1] = wait.quiet(id, asked.quiet)
  end
  if asked.input then
    list[#list + 1] = wait.input(id)
  end
  return list
end

local ARGUMENT_OF = { regex = 'line' }

--- Ends the call when `asked` cannot be waited for. Comes before the start, so that a mistake
--- starts nothing.
---@param asked table
function M.check(asked)
  local list = conditions_of(asked, 'unknown')
  if #list == 0 then
    tool.error('invalid_arguments', 'args.until: expected ' .. KINDS)
  end
  local good, err = wait.check { any = list }
  if not good then
    local kind = list[err.path[2]].kind
    tool.error('invalid_arguments', ('args.until.%s: %s'):format(
      ARGUMENT_OF[kind] or kind, err.problem))
  end
end

--- Returns the time limit of a start: a process that is waited for until it is useful has none,
--- unless the call names one.
---@param asked? table the argument `until`
---@param timeout? number ms, the call's
---@return number? timeout_ms 0: none; nil: the default
function M.timeout_of(asked, timeout)
  return timeout or (asked and not asked.exit and 0 or nil)
end

-- What came true, by kind.
local FACT = {
  regex = function(fired)
    local age = fired.age_ms and (' (%s ago)'):format(time.format_duration(fired.age_ms)) or ''
    local line = format.cut(fired.line, LINE_BYTES, fired.column)
    return format.one_line(line:gsub('%s+', ' '):gsub('^ ', ''):gsub(' $', '')) .. age
  end,
  port = function(fired)
    return ('port %d listens'):format(fired.port)
  end,
  http = function(fired)
    return ('%s answered %d'):format(fired.url, fired.status)
  end,
  input = function()
    return 'waits for input'
  end,
  quiet = function(_, asked)
    return ('no output for %s'):format(time.format_duration(asked.quiet))
  end,
}

-- Returns the call of the toolset that was asked.
local function reading_of(asked)
  return asked.brief and reading.lean or reading.bg
end

-- Returns what it has printed since an answer showed that, and the same for data.
local function printed(handle, asked, whole_bytes)
  local screen = handle:info().pty and handle:screen()
  if screen and screen.alternate then
    local rows = table.concat(screen.lines, '\n'):gsub('\n+', '\n')
    return format.cut(rows, whole_bytes or shaped.WHOLE_BYTES), rows
  end
  return shaped.ends(handle, 'until', reading_of(asked), whole_bytes)
end

-- Says how a run ended.
local function ending(info)
  local how = info.state == 'completed' and 'exit 0' or info.reason or info.state
  return ('%s after %s'):format(how, time.format_duration(info.runtime_ms))
end

-- Says when a time limit will end a run that goes on; '' without one.
local function limit_note(info)
  local limit_ms = info.time_limit_ms
  return limit_ms and ('; it is ended after %s'):format(time.format_duration(limit_ms)) or ''
end

-- Adds output below a line of text.
local function with_output(line, output)
  return output ~= '' and line .. '\n' .. output:gsub('\n$', '') or line
end

-- "Ab3xK9mZ (pid 4242)"; `asked.brief`: "Ab3xK9mZ".
local function name_of(handle, info, asked)
  local brief = asked.brief or info.pid <= 0
  return brief and handle.id or ('%s (pid %d)'):format(handle.id, info.pid)
end

-- Says why a run may seem silent; nil where nothing is known.
local function silence_of(handle, info, asked)
  local about_output = asked.line or asked.input
  local has_output = info.stdout.bytes + info.stderr.bytes > 0
  if has_output and not about_output then
    return nil
  end
  local note, all_at_once = buffering.note(handle)
  if note == '' and about_output and not (has_output or all_at_once or info.pty) then
    note = 'No output yet; some programs write to a pipe late: pty=true shows it at once'
  end
  return note ~= '' and note or nil
end

-- What only a run can do that goes on.
local IS_OF_THE_LIVING = { quiet = true, input = true }

-- What it waited for has come.
local function ready(handle, info, asked, fired)
  local elapsed_ms = math.max(0, time.now_ms() - (info.started_ms or info.created_ms))
  local shows = IS_OF_THE_LIVING[fired.kind]
  local output, data = '', ''
  if shows then
    output, data = printed(handle, asked)
  end
  marks.tell(handle, asked.session, shows and 'lines'
    or fired.kind == 'regex' and { [fired.stream] = fired.cursor } or nil)
  local line = ('%s ready after %s: %s%s'):format(name_of(handle, info, asked),
    time.format_duration(elapsed_ms), FACT[fired.kind](fired, asked), limit_note(info))
  local hint = fired.kind == 'quiet' and output == '' and silence_of(handle, info, asked) or nil
  line = hint and line .. '\n' .. hint or line
  return with_output(line, output), {
    outcome = 'ready', kind = ARGUMENT_OF[fired.kind] or fired.kind, state = info.state,
    line = fired.line, age_ms = fired.age_ms, port = fired.port, url = fired.url,
    status = fired.status, hint = hint, elapsed_ms = elapsed_ms, output = failure.field(data),
  }
end

-- It has ended; `wanted`: which is what was waited for.
local function ended(handle, info, asked, wanted, answer)
  tool.tells(handle.id)
  local good = info.state == 'completed'
  local output, data
  if good or info.stdout.bytes + info.stderr.bytes <= shaped.WHOLE_BYTES then
    output, data = printed(handle, asked)
    output = format.ended(output) .. failure.silence(handle)
  else
    output = failure.of(info, reading_of(asked))
    data = output
  end
  local line = ('%s: %s'):format(name_of(handle, info, asked), ending(info))
  if good and not wanted then
    line = ('%s exited with 0 before it was ready, after %s'):format(
      name_of(handle, info, asked), time.format_duration(info.runtime_ms))
  end
  if answer.older then
    line = ('%s; %s%s'):format(line, answer.message, marks.hint(answer))
  end
  local left = format.left_note(handle, (asked.brief and 'job action=stop, id=%s ends it'
    or 'bg_kill id=%s ends it'):format(handle.id))
  local text = with_output(with_output(line, output), format.sandbox_note(handle))
  text = with_output(text, left)
  return text, {
    outcome = good and wanted and 'ready' or 'failed', kind = good and wanted and 'exit' or nil,
    state = info.state, exit_code = info.exit_code, reason = info.reason,
    elapsed_ms = info.runtime_ms, output = failure.field(data),
    thrown_away = info.sandbox and info.sandbox.thrown_away,
  }
end

-- The wait limit came first.
local function not_ready(handle, info, asked, answer)
  local output, data = printed(handle, asked, asked.brief and shaped.BRIEF_BYTES)
  marks.tell(handle, asked.session, 'lines')
  local obstacle = answer.obstacle
  local message = asked.brief and answer.seen and not answer.older
    and ('%s after %s'):format(answer.seen, time.format_duration(answer.elapsed_ms))
    or answer.message
  local hint = silence_of(handle, info, asked)
  local line = ('%s %s: %s%s%s%s'):format(name_of(handle, info, asked),
    obstacle and 'cannot get ready' or 'not ready yet', message, limit_note(info),
    marks.hint(answer), hint and '\n' .. hint or '')
  return with_output(with_output(line, output), format.sandbox_note(handle)), {
    outcome = obstacle and 'failed' or 'not_ready', state = info.state,
    elapsed_ms = info.runtime_ms, reason = obstacle, hint = hint,
    output = failure.field(data),
  }
end

-- Waits within what is left of the wait limit.
local function answer_for(handle, asked, left, since)
  local answer, err = wait { any = conditions_of(asked, handle.id, since), timeout_ms = left }
  local info = answer and handle:info()
  if not info then
    tool.error(err and err.code or 'run_not_found', err and err.message or handle.id)
  end
  local fired = answer.fired[1]
  local is_over = info.ended_ms and info.left_behind == 0
  if fired and fired.kind ~= 'exit' and not (is_over and IS_OF_THE_LIVING[fired.kind]) then
    return ready(handle, info, asked, fired)
  elseif info.ended_ms then
    return ended(handle, info, asked, fired and fired.kind == 'exit', answer)
  end
  return not_ready(handle, info, asked, answer)
end

--- Waits for a run that has been started before. Returns the answer's text and its data.
---@param handle Run
---@param asked table the argument `until`
---@param since? 'start'|integer lines from before that count, too
---@return string text
---@return table outcome
function M.wait_more(handle, asked, since)
  local behind = marks.behind(handle, asked.session, since)
  return answer_for(handle, asked, asked.timeout or DEFAULT_WAIT_MS, behind)
end

--- Waits for a run that was just started; when the call is cancelled before it has answered, the
--- run is ended. Returns the answer's text and its data.
---@param handle Run
---@param asked table the argument `until`
---@return string text
---@return table outcome
function M.wait(handle, asked)
  handle:attach()
  local text, outcome = answer_for(handle, asked, asked.timeout or DEFAULT_WAIT_MS)
  handle:detach()
  return text, outcome
end

--- The same for a run that may be queued, and stays so when the call is cancelled.
---@param id string
---@param asked table
---@return string text
---@return table outcome
function M.wait_queued(id, asked)
  local left = any_run.started_within(id, asked.timeout or DEFAULT_WAIT_MS)
  local handle = left and run.get(id)
  if handle then
    return answer_for(handle, asked, left)
  elseif left then
    -- It was killed or refused while it waited, or another process has executed it.
    local record
    handle, record = any_run.find(id)
    local info = record and any_run.info_of(record) or handle:info()
    local output = failure.of(info, reading_of(asked))
    return with_output(('%s: %s'):format(id, info.reason or info.state), output),
      { outcome = 'failed', state = info.state, exit_code = info.exit_code, reason = info.reason,
        elapsed_ms = info.runtime_ms, output = failure.field(output) }
  end
  return ('%s not started yet: %s'):format(id, any_run.place_text(id)),
    { outcome = 'not_ready', state = 'queued', elapsed_ms = 0 }
end

return M
