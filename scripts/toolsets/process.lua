-- The toolset `process`: one tool that starts, checks and stops shell commands in the background.
local format = require 'toolsets.format'
local own_runs = require 'toolsets.own_runs'

local STOP_GRACE_MS = 2000
local MAX_TAIL_BYTES = 16 * 1024
local DEFAULT_TAIL = 50
local MAX_TAIL = 10000

local SETTINGS = schema.object {
  max_concurrent = schema.integer {
    minimum = 1, maximum = 1000, default = 5,
    description = 'Processes of one session that run at the same time',
  },
  max_output_bytes = schema.integer {
    minimum = 4096, maximum = 1073741824, default = 1048576,
    description = "What a process's output file may hold",
  },
}

local STATUS = {
  pid = schema.string { description = 'Process ID for status, output and stop' },
  os_pid = schema.integer {},
  command = schema.string {},
  status = schema.string { enum = { 'running', 'exited' } },
  state = schema.string { description = 'How it ended, in one word' },
  exit_code = schema.integer { optional = true },
  reason = schema.string { optional = true },
  started_ms = schema.integer { optional = true, description = 'Unix time' },
  runtime_ms = schema.integer {},
  output_path = schema.string { optional = true },
}

local function status_of(info)
  return {
    pid = info.id, os_pid = info.pid, command = info.command, state = info.state,
    status = info.ended_ms and 'exited' or 'running', exit_code = info.exit_code,
    reason = info.reason, started_ms = info.started_ms, runtime_ms = info.runtime_ms,
    output_path = info.log and info.log[1].path,
  }
end

local function status_line(status)
  local how = status.status
  if how == 'exited' then
    how = status.exit_code and ('exited (code %d)'):format(status.exit_code)
      or ('exited (%s)'):format(status.reason or status.state)
  end
  return ('%s: %s, runtime %s, os pid %d: %s'):format(
    status.pid, how, format.seconds(status.runtime_ms), status.os_pid,
    format.one_line(status.command)
  )
end

local function owner_of(ctx)
  return {
    toolset = 'process', tools = { process = true }, session = ctx.session,
    max = ctx.settings.max_concurrent,
    hint = 'Use action=stop to end one, action=list to see them.',
  }
end

local function required(args, name)
  local value = args[name]
  if value == nil or value == '' then
    tool.error('invalid_arguments', ('args.%s: is required for action=%s'):format(
      name, args.action
    ))
  end
  return value
end

local actions = {}

function actions.start(args, ctx)
  local handle = own_runs.start(owner_of(ctx), {
    command = required(args, 'command'), timeout_ms = 0,
    log = {
      path = ctx.temp_directory .. '/gibbous-process-{run}.log',
      max_bytes = ctx.settings.max_output_bytes,
    },
  })
  local status = status_of(handle:info())
  return {
    text = ('Started process %s (os pid %d): %s'):format(
      status.pid, status.os_pid, format.one_line(status.command)
    ),
    data = { id = status.pid, pid = status.pid, process = status },
  }
end

function actions.status(args)
  local status = status_of(format.find(required(args, 'pid')):info())
  return { text = status_line(status), data = { pid = status.pid, process = status } }
end

function actions.output(args)
  local handle = format.find(required(args, 'pid'))
  local text, texts = format.tails(handle, args.tail, MAX_TAIL_BYTES)
  return {
    text = text,
    data = {
      pid = handle.id, process = status_of(handle:info()),
      stdout = texts.stdout, stderr = texts.stderr,
    },
  }
end

function actions.stop(args)
  local handle = format.find(required(args, 'pid'))
  local info = handle:info()
  local report, err = handle:kill { signal = 'SIGTERM', grace_ms = STOP_GRACE_MS }
  if not report then
    tool.error(err.code, err.message)
  end
  local status = status_of(handle:info() or info)
  tool.tells(handle.id)
  local data = { pid = handle.id, process = status, stopped = report.how ~= 'gone' }
  if info.ended_ms and report.how == 'gone' then
    return { text = 'It is not running: ' .. status_line(status), data = data }
  end
  return { text = format.kill_text(handle.id, info, 'SIGTERM', report), data = data }
end

function actions.list(_, ctx)
  local lines, processes = {}, json.array {}
  for index, info in ipairs(own_runs.list(owner_of(ctx))) do
    processes[index] = status_of(info)
    lines[index] = status_line(processes[index])
  end
  local text = #lines > 0 and table.concat(lines, '\n') or 'No background processes.'
  return { text = text, data = { processes = processes } }
end

local process = tool {
  name = 'process',
  title = 'Background processes',
  description = 'Start, check, or stop background shell processes',
  permission = 'execute',
  actions = { status = 'read', output = 'read', list = 'read' },
  annotations = { destructive = true, idempotent = false, open_world = true },
  command = 'command',
  input = schema.object {
    action = schema.string {
      enum = { 'start', 'status', 'output', 'stop', 'list' }, description = 'Action to perform',
    },
    command = schema.string {
      description = "Shell command to run (for 'start' action)", optional = true,
    },
    pid = schema.string {
      description = 'Process ID (for status/output/stop actions)', optional = true,
    },
    tail = schema.integer {
      description = "Number of output lines to return (for 'output' action)",
      default = DEFAULT_TAIL, minimum = 0, maximum = MAX_TAIL,
    },
  },
  output = schema.object {
    id = schema.string { optional = true },
    pid = schema.string { optional = true },
    process = schema.object(STATUS, { optional = true }),
    processes = schema.array(schema.object(STATUS), { optional = true }),
    stdout = schema.string { optional = true },
    stderr = schema.string { optional = true },
    stopped = schema.boolean { optional = true, description = 'false: it had ended before' },
  },
  run = function(args, ctx)
    return actions[args.action](args, ctx)
  end,
}

return { name = 'process', settings = SETTINGS, tools = { process } }
