-- The toolset `wait`: one tool that waits, so that an agent need not poll.
local any_run = require 'toolsets.any_run'
local format = require 'toolsets.format'

local DEFAULT_TIMEOUT_MS = 30000
local MAX_TIMEOUT_MS = 600000
local MAX_IDS = 20

-- The argument that each kind of condition is made from, where the names differ.
local ARGUMENT_OF = {
  regex = 'output_regex', screen = 'screen_regex', quiet = 'quiet_ms', timer = 'timer_ms',
}

-- The fields of a condition that came true.
local FIRED = schema.object {
  kind = schema.string {
    enum = { 'exit', 'port', 'regex', 'screen', 'http', 'quiet', 'file', 'timer' },
    description = 'Which condition came true',
  },
  index = schema.integer { description = 'Its place among the conditions, from 1' },
  run = schema.string { optional = true, description = 'Process ID that it is about' },
  stream = schema.string { optional = true, description = 'regex: stdout or stderr' },
  line = schema.string { optional = true, description = 'regex, screen: the line' },
  captures = schema.array(schema.string {}, {
    optional = true, description = 'regex, screen: groups',
  }),
  cursor = schema.integer { optional = true, description = 'regex: offset after the line' },
  row = schema.integer { optional = true, description = 'screen: its row, from 1' },
  port = schema.integer { optional = true },
  mapped_from = schema.integer { optional = true, description = 'port: as the process has it' },
  address = schema.string { optional = true, description = 'port: what answered' },
  pid = schema.integer { optional = true, description = 'port: who listens' },
  url = schema.string { optional = true },
  mapped_url = schema.string { optional = true, description = 'http: what was asked for it' },
  status = schema.integer { optional = true, description = 'http: the status' },
  path = schema.string { optional = true },
}

local INPUT = schema.object {
  id = schema.string {
    description = 'Process ID from bg_start that this is about', optional = true,
  },
  ids = schema.array(schema.string {}, {
    description = 'Several process IDs', max_items = MAX_IDS, optional = true,
  }),
  port = schema.integer {
    minimum = 1, maximum = 65535, description = 'TCP port that must be listening', optional = true,
  },
  host = schema.string {
    description = 'Host of the port (default: this machine, IPv4 or IPv6)', optional = true,
  },
  output_regex = schema.string {
    description = 'Regular expression (RE2) that a line of output must match', min_length = 1,
    optional = true,
  },
  stream = schema.string {
    enum = { 'stdout', 'stderr' }, description = 'Only this stream (default: both)',
    optional = true,
  },
  screen_regex = schema.string {
    description = 'RE2 that a row of the terminal must match', min_length = 1, optional = true,
  },
  http = schema.string {
    description = 'URL (http://...) that must answer', min_length = 1, optional = true,
  },
  http_status = schema.integer {
    minimum = 100, maximum = 599, optional = true,
    description = 'Status that it must answer with (default: any from 200 to 399)',
  },
  exit = schema.boolean { description = 'Wait for the process to end', optional = true },
  quiet_ms = schema.number {
    minimum = 1, description = 'No output for so many ms', optional = true,
  },
  file = schema.string { description = 'Path that must exist', optional = true },
  timer_ms = schema.number { minimum = 0, description = 'So many ms have passed', optional = true },
  mode = schema.string {
    enum = { 'any', 'all' }, default = 'any',
    description = 'Wait for any or for all of them (default: any)',
  },
  timeout = schema.number {
    minimum = 0, maximum = MAX_TIMEOUT_MS, default = DEFAULT_TIMEOUT_MS,
    description = 'Give up after so many ms (default: 30000, at most 600000)',
  },
}

-- Waits until queued runs have started. Returns the milliseconds that are left, and the records of
-- runs that only the journal knows any more.
local function reach(ids, timeout_ms)
  local left, gone = timeout_ms, {}
  for _, id in ipairs(ids) do
    local handle, record = run.get(id), nil
    if not handle then
      handle, record = any_run.find(id)
    end
    if not handle and not record.ended_ms then
      left = any_run.started_within(id, left)
      if not left then
        tool.error('timeout', ('%s is queued: %s'):format(id, any_run.place_text(id)))
      end
      handle, record = any_run.find(id)
    end
    if not handle then
      gone[#gone + 1] = record
    end
  end
  return left, gone
end

-- Answers for a run that ended before memory forgot it: its end has come, nothing else can.
local function answer_ended(record, args)
  local end_text = ('%s ended: %s, %s'):format(
    record.id, record.state, record.reason or 'no reason known')
  if not record.ended_ms then
    tool.error('cannot_happen', record.id .. ' runs under another process of Gibbous')
  elseif not args.exit or (args.mode == 'all' and #(args.ids or {}) > 1) then
    tool.error('cannot_happen', end_text)
  end
  return {
    text = end_text .. ' (before the wait)',
    data = { fired = json.array { { kind = 'exit', index = 1, run = record.id } }, elapsed_ms = 0 },
  }
end

-- Returns the conditions that the arguments ask for.
local function conditions_of(args, ids, ctx)
  local list = {}
  local function add(condition)
    list[#list + 1] = condition
  end
  local function add_for_each_run(what, make)
    if #ids == 0 then
      tool.error('invalid_arguments', what .. ' needs id: the process to look at')
    end
    for _, id in ipairs(ids) do
      add(make(id))
    end
  end

  if args.port then
    add(wait.port(args.port, { host = args.host, run = args.id }))
  end
  if args.output_regex then
    add_for_each_run('output_regex', function(id)
      return wait.regex(id, args.output_regex, { stream = args.stream })
    end)
  end
  if args.screen_regex then
    add_for_each_run('screen_regex', function(id)
      return wait.screen(id, args.screen_regex)
    end)
  end
  if args.http then
    add(wait.http(args.http, { status = args.http_status, run = args.id }))
  end
  if args.exit then
    add_for_each_run('exit', wait.exit)
  end
  if args.quiet_ms then
    add_for_each_run('quiet_ms', function(id)
      return wait.quiet(id, args.quiet_ms)
    end)
  end
  if args.file then
    local absolute = args.file:sub(1, 1) == '/'
    add(wait.file(absolute and args.file or ctx.workspace .. '/' .. args.file, { run = args.id }))
  end
  if args.timer_ms then
    add(wait.timer(args.timer_ms))
  end
  if #list == 0 then
    tool.error('invalid_arguments', 'nothing to wait for: give port, output_regex, screen_regex, '
      .. 'http, exit, quiet_ms, file or timer_ms')
  end
  return list
end

-- A wrong pattern or URL is the model's mistake.
local function check(options)
  local good, err = wait.check(options)
  if not good then
    local list, index = unpack(err.path)
    local kind = options[list][index].kind
    tool.error('invalid_arguments', (ARGUMENT_OF[kind] or kind) .. ': ' .. err.problem)
  end
end

-- Describes each kind of condition that came true.
local DESCRIBE = {
  port = function(fired)
    local by = fired.pid and (' (pid %d)'):format(fired.pid) or ''
    local from = fired.mapped_from
    local inner = from and (', mapped from its port %d'):format(from) or ''
    return ('port %d is listening on %s%s%s'):format(fired.port, fired.address, by, inner)
  end,
  regex = function(fired)
    return ('%s of %s has the line: %s\n(it goes on at offset %d)'):format(
      fired.stream, fired.run, fired.line, fired.cursor)
  end,
  screen = function(fired)
    return ('row %d of the screen of %s is: %s'):format(fired.row, fired.run, fired.line)
  end,
  http = function(fired)
    local asked = fired.mapped_url and (' (asked as %s)'):format(fired.mapped_url) or ''
    return ('%s%s answered %d'):format(fired.url, asked, fired.status)
  end,
  exit = function(fired)
    local handle = run.get(fired.run)
    local info = handle and handle:info() or { state = 'ended', reason = 'and was forgotten' }
    local why = handle and format.why(handle, info) or ''
    return ('%s ended: %s, %s%s'):format(fired.run, info.state, info.reason or 'no reason known',
      why ~= '' and '\n' .. why:gsub('\n$', '') or '')
  end,
  quiet = function(fired)
    return ('%s is quiet'):format(fired.run)
  end,
  file = function(fired)
    return ('%s is there'):format(fired.path)
  end,
  timer = function()
    return 'the time is over'
  end,
}

-- Returns the runs whose state the answer tells.
local function told_of(answer)
  local ids = { answer.reason == 'impossible' and answer.run or nil }
  for _, fired in ipairs(answer.fired) do
    ids[#ids + 1] = fired.kind == 'exit' and fired.run or nil
  end
  return ids
end

-- Returns what the run that a failed wait was about printed: its first errors and last lines.
local function why_not(answer)
  local handle = answer.run and run.get(answer.run)
  local shown = handle and handle:error_excerpt() or answer.tail or ''
  return shown ~= '' and '\n' .. shown:gsub('\n$', '') or ''
end

local wait_for = tool {
  name = 'wait_for',
  title = 'Wait for something to happen',
  description = 'Wait until something happens instead of polling or sleeping: a port accepts '
    .. "connections, a line of a process's output matches, an HTTP status, a process exits or "
    .. 'goes quiet, a file appears. Give one or several; by default the first one ends the wait. '
    .. 'Output from before the wait counts. Fails at once, with the last lines, when the process '
    .. 'ends before it can happen.',
  permission = 'read',
  input = INPUT,
  output = schema.object { fired = schema.array(FIRED), elapsed_ms = schema.integer {} },
  run = function(args, ctx)
    local ids = args.ids or {}
    if args.id then
      ids[#ids + 1] = args.id
    end
    for index, name in ipairs(ids) do
      local handle, record = any_run.find(name)
      ids[index] = handle and handle.id or record.id
    end
    args.id = args.id and ids[#ids]
    local conditions = conditions_of(args, ids, ctx)
    check { [args.mode] = conditions }
    local left, gone = reach(ids, args.timeout)
    if gone[1] then
      tool.tells(gone[1].id)
      return answer_ended(gone[1], args)
    end
    local options = { [args.mode] = conditions, timeout_ms = left }
    local answer, err = wait(options)
    if not answer then
      tool.error(err.code, err.message)
    end
    for _, id in ipairs(told_of(answer)) do
      tool.tells(id)
    end
    if not answer.ok then
      local why = why_not(answer)
      local code = answer.reason == 'timeout' and 'timeout' or 'cannot_happen'
      tool.error(code, answer.message .. why, {
        run = answer.run, fired = json.array(answer.fired), elapsed_ms = answer.elapsed_ms,
      })
    end
    local lines = {}
    for index, fired in ipairs(answer.fired) do
      lines[index] = DESCRIBE[fired.kind](fired)
    end
    local elapsed_ms = math.floor(answer.elapsed_ms + args.timeout - left) -- in the queue, too
    local after = time.format_duration(elapsed_ms)
    return {
      text = ('%s (after %s)'):format(table.concat(lines, '\n'), after),
      data = { fired = json.array(answer.fired), elapsed_ms = elapsed_ms },
    }
  end,
}

return { name = 'wait', tools = { wait_for } }
