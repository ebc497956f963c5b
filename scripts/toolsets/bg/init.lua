-- The toolset `bg`: shell commands in the background. Four tools: start, status, output, kill.
local any_run = require 'toolsets.any_run'
local bg_read = require 'toolsets.bg.read'
local format = require 'toolsets.format'

-- The longest timeout of a run; a longer one is cut to this.
local MAX_TIMEOUT_MS = 30 * 24 * 60 * 60 * 1000
local MAX_OFFSET = 2 ^ 53

local start = tool {
  name = 'bg_start',
  title = 'Start in background',
  description = 'Start a shell command in the background. Returns a process ID for tracking. '
    .. 'Use for long-running commands (tests, builds, dev servers).',
  permission = 'execute',
  annotations = { destructive = true, idempotent = false, open_world = true },
  input = schema.object {
    command = schema.string { description = 'Shell command to execute' },
    timeout = schema.number {
      description = 'Timeout in ms (default: 300000 = 5 min, 0 = no timeout)',
      minimum = 0,
      optional = true,
    },
    label = schema.string {
      description = 'Human-readable label (e.g. "test suite", "dev server")',
      optional = true,
    },
  },
  takes_limits = true,
  command = 'command',
  output = schema.object {
    id = schema.string {},
    pid = schema.integer {},
    command = schema.string {},
    label = schema.string { optional = true },
  },
  run = function(args)
    if args.command == '' then
      tool.error('invalid_arguments', 'args.command: is empty; expected a shell command')
    end
    local handle, err = run.start {
      command = args.command, label = args.label, detach = true,
      timeout_ms = args.timeout and math.min(args.timeout, MAX_TIMEOUT_MS),
      limits = args.limits,
    }
    if not handle then
      local full = err.code == 'too_many_runs'
      local hint = full and ' Use bg_kill to end one, bg_status to see them.' or ''
      tool.error(err.code, err.message .. hint)
    end
    local pid = handle:info().pid
    return {
      text = ('Process started: id=%s pid=%d cmd="%s"'):format(
        handle.id, pid, format.one_line(args.command)
      ),
      data = { id = handle.id, pid = pid, command = args.command, label = args.label },
    }
  end,
}

local status = tool {
  name = 'bg_status',
  title = 'Status of background processes',
  description = 'Check the status of one or all background processes. '
    .. 'Returns state, PID, runtime, exit code.',
  permission = 'read',
  input = schema.object {
    id = schema.string {
      description = 'Process ID from bg_start. Omit to list all processes.',
      optional = true,
    },
  },
  output = schema.object { processes = schema.array(format.STATUS) },
  run = function(args, ctx)
    local infos
    if args.id then
      local handle, record = any_run.find(args.id)
      infos = { handle and handle:info() or any_run.info_of(record) }
    else
      -- A call without a session is the host's: it sees all runs, and lists its own.
      infos = run.list { session = ctx.session == '' and '' or nil }
    end
    local usages = format.usages(infos)
    local lines, data = {}, json.array {}
    for index, info in ipairs(infos) do
      lines[index] = format.status_line(info, usages[index])
      data[index] = format.status_data(info, usages[index])
    end
    local text = #lines > 0 and table.concat(lines, '\n') or 'No background processes.'
    return { text = text, data = { processes = data } }
  end,
}

-- Reads the part of one stream that the arguments ask for.
local function read(handle, stream, reader, args)
  local lines = args.lines and math.floor(args.lines)
  if args.from then
    return bg_read.from(handle, stream, args.from)
  elseif args.since_last_read then
    return bg_read.new(handle, stream, reader, lines)
  end
  return bg_read.last(handle, stream, reader, lines)
end

-- Answers for a run that is not in memory: queued, or known to the journal alone.
local function recorded_output(record, args)
  if args.from then
    tool.error('invalid_arguments', 'args.from: only the journal knows this process any more; '
      .. 'leave it out')
  end
  local lines = args.lines and math.floor(args.lines) or bg_read.DEFAULT_LINES
  local texts = record.state == 'queued' and { stdout = '', stderr = '' }
    or any_run.recorded_tails(record, lines)
  local data = {
    id = record.id, state = record.state, truncated = false, skipped = json.array {},
    gaps = json.array {}, more = false,
  }
  local sections = {}
  for _, stream in ipairs { 'stdout', 'stderr' } do
    if args.stream == stream or args.stream == 'both' then
      data[stream] = texts[stream]
      sections[#sections + 1] = format.section(stream, { text = texts[stream] })
    end
  end
  if record.state == 'queued' then
    sections[#sections + 1] = ('[it is queued: %s]\n'):format(any_run.place_text(record.id))
  end
  return { text = table.concat(sections), data = data }
end

-- Ends a run that is not in memory.
local function kill_recorded(record, signal)
  local data = { id = record.id, killed = false, state = record.state, runtime_ms = 0 }
  if record.ended_ms then
    local text = 'Process %s is not running (%s: %s)'
    return { text = text:format(record.id, record.state, record.reason or 'ended'), data = data }
  end
  local how, err = journal.kill(record.id, { signal = signal })
  if not how then
    tool.error(err.code, err.message)
  end
  data.killed = true
  if how == 'killed' then
    data.state = 'killed'
    return { text = ('Process %s was ended before it started'):format(record.id), data = data }
  end
  local text = 'Process %s runs under another process of Gibbous, which was asked to end it'
  return { text = text:format(record.id), data = data }
end

local GAP = schema.object {
  stream = schema.string {},
  from = schema.integer { description = 'Offset' },
  to = schema.integer { description = 'Offset' },
}

local function add_gap(list, stream, gap)
  if gap then
    list[#list + 1] = { stream = stream, from = gap.from, to = gap.to }
  end
end

local output = tool {
  name = 'bg_output',
  title = 'Output of a background process',
  description = 'Get stdout/stderr from a background process. '
    .. 'Defaults to new output since last read.',
  permission = 'read',
  annotations = { idempotent = false },
  input = schema.object {
    id = schema.string { description = 'Process ID from bg_start' },
    lines = schema.number {
      description = 'Number of lines to return from the end (default: 50)',
      minimum = 0,
      maximum = bg_read.MAX_LINES,
      optional = true,
    },
    stream = schema.string {
      enum = { 'stdout', 'stderr', 'both' },
      description = 'Which output stream (default: both)',
      default = 'both',
    },
    since_last_read = schema.boolean {
      description = 'Only return output since last bg_output call (default: true)',
      default = true,
    },
    from = schema.integer {
      description = 'Instead: offset of one stream to read on from, as a note about skipped '
        .. 'output names it',
      minimum = 0,
      maximum = MAX_OFFSET,
      optional = true,
    },
  },
  output = schema.object {
    id = schema.string {},
    state = schema.string {},
    stdout = schema.string { optional = true },
    stderr = schema.string { optional = true },
    truncated = schema.boolean { description = 'Something is missing: skipped, gaps, more' },
    skipped = schema.array(GAP, { description = 'Left out; can be read with from' }),
    gaps = schema.array(GAP, { description = 'Not kept any more' }),
    more = schema.boolean { description = 'More is waiting: read again' },
    next = schema.integer { optional = true, description = 'from of the next call' },
    refusals = schema.array(schema.object {
      what = schema.string {}, path = schema.string { optional = true },
      profile = schema.string {}, line = schema.string {},
    }, { optional = true, description = 'What its sandbox refused' }),
  },
  run = function(args, ctx)
    if args.from and args.stream == 'both' then
      tool.error('invalid_arguments', "args.stream: expected 'stdout' or 'stderr', which `from` "
        .. 'is an offset of')
    elseif args.from and args.lines then
      tool.error('invalid_arguments', 'args.lines: counts from the end; leave it out with `from`')
    end
    local handle, record = any_run.find(args.id)
    if not handle then
      return recorded_output(record, args)
    end
    local data = {
      id = handle.id, state = handle:info().state, truncated = false, skipped = json.array {},
      gaps = json.array {}, more = false,
    }
    local sections = {}
    for _, stream in ipairs { 'stdout', 'stderr' } do
      if args.stream == stream or args.stream == 'both' then
        local part = read(handle, stream, 'bg_output ' .. ctx.session, args)
        data[stream] = part.text
        data.more = data.more or part.more
        data.next = args.from and part.to
        add_gap(data.skipped, stream, part.skipped)
        add_gap(data.gaps, stream, part.lost)
        sections[#sections + 1] = format.section(stream, part)
      end
    end
    data.truncated = data.more or #data.gaps > 0 or #data.skipped > 0
    data.refusals = handle:refusals()
    if #data.refusals > 0 then
      sections[#sections + 1] = format.refusal_note(data.refusals)
    end
    data.refusals = #data.refusals > 0 and data.refusals or nil
    return { text = table.concat(sections), data = data }
  end,
}

local kill = tool {
  name = 'bg_kill',
  title = 'Kill a background process',
  description = 'Terminate a background process. '
    .. 'Sends SIGTERM, then SIGKILL after 5s if still running.',
  permission = 'execute',
  annotations = { destructive = true, idempotent = true, open_world = false },
  input = schema.object {
    id = schema.string { description = 'Process ID to kill' },
    signal = schema.string {
      enum = { 'SIGTERM', 'SIGKILL', 'SIGINT' },
      description = 'Signal to send (default: SIGTERM)',
      default = 'SIGTERM',
    },
  },
  output = schema.object {
    id = schema.string {},
    killed = schema.boolean {},
    state = schema.string {},
    runtime_ms = schema.integer {},
    how = schema.string { optional = true, enum = { 'gone', 'signal', 'escalated', 'survivors' } },
    dead = schema.integer { optional = true, description = 'Processes of its tree that ended' },
    survivors = schema.array(schema.integer {}, {
      optional = true,
      description = 'pids that could not be ended',
    }),
  },
  run = function(args)
    local found, record = any_run.find(args.id)
    if not found then
      return kill_recorded(record, args.signal)
    end
    local handle = format.find_newest(found.id)
    local info = handle:info()
    local data = {
      id = found.id, killed = false, state = info.state, runtime_ms = info.runtime_ms,
    }
    local report, err = handle:kill { signal = args.signal }
    if not report then
      tool.error(err.code, err.message)
    end
    if info.ended_ms and report.how == 'gone' then
      local text = 'Process %s is not running (%s: %s)'
      return { text = text:format(found.id, info.state, info.reason or 'ended'), data = data }
    end
    local after = handle:info() or info -- the run can be forgotten meanwhile
    tool.tells(found.id)
    tool.tells(handle.id)
    data.killed = report.how ~= 'gone' or info.state == 'queued'
    data.state = after.state
    data.how = report.how
    data.dead = report.dead
    data.survivors = json.array(report.survivors)
    return { text = format.kill_text(found.id, info, args.signal, report), data = data }
  end,
}

return { name = 'bg', tools = { start, status, output, kill } }
