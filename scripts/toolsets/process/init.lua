-- The toolset `process`: one tool that starts, checks and stops shell commands in the background.
local any_run = require 'toolsets.any_run'
local buffering = require 'toolsets.buffering'
local ending = require 'toolsets.ending'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local last_output = require 'toolsets.last_output'
local own_runs = require 'toolsets.own_runs'
local reading = require 'toolsets.reading'
local required = require 'toolsets.required'
local shaped = require 'toolsets.shaped'
local text = require 'toolsets.format.text'

local STOP_GRACE_MS = 2000

-- The fields of a process.
local FIELDS = {
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

local INPUT = schema.object {
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
}

local OUTPUT = schema.object {
  id = schema.string { optional = true },
  pid = schema.string { optional = true },
  process = schema.object(FIELDS, { optional = true }),
  processes = schema.array(schema.object(FIELDS), { optional = true }),
  stdout = schema.string { optional = true },
  stderr = schema.string { optional = true },
  error_excerpt = failure.FIELD,
  hint = buffering.FIELD,
  stopped = schema.boolean { optional = true, description = 'false: it had ended before' },
}

-- Returns the data of a process.
local function facts_of(info)
  return {
    pid = info.id, os_pid = info.pid, command = info.command, state = info.state,
    status = info.ended_ms and 'exited' or 'running', exit_code = info.exit_code,
    reason = info.reason, started_ms = info.started_ms, runtime_ms = info.runtime_ms,
    output_path = info.log and info.log[1].path,
  }
end

-- Returns the line of a process.
local function line_of(status)
  local how = status.state == 'queued' and 'queued' or status.status
  if how == 'exited' then
    local by_itself = status.state == 'completed' or status.state == 'failed'
    how = status.exit_code and ('code %d'):format(status.exit_code)
    local why = not (by_itself and how) and (status.reason or status.state) or nil
    how = ('exited (%s)'):format(how and why and how .. ', ' .. why or how or why)
  end
  return ('%s: %s, runtime %s, os pid %d: %s'):format(
    status.pid, how, text.seconds(status.runtime_ms), status.os_pid,
    text.one_line(status.command)
  )
end

local function owner_of(ctx)
  return {
    toolset = 'process', tools = { process = true }, session = ctx.session,
    max = ctx.settings.max_concurrent,
    hint = 'Use action=stop to end one, action=list to see them.',
  }
end

local function needed(args, name)
  return required(args, name, 'action=' .. args.action)
end

local actions = {}

function actions.start(args, ctx)
  local handle = own_runs.start(owner_of(ctx), {
    command = needed(args, 'command'), timeout_ms = 0,
    log = {
      path = ctx.temp_directory .. '/gibbous-process-{run}.log',
      max_bytes = ctx.settings.max_output_bytes,
    },
  })
  local facts = facts_of(handle:info())
  return {
    text = ('Started process %s (os pid %d): %s'):format(
      facts.pid, facts.os_pid, format.one_line(facts.command)
    ),
    data = { id = facts.pid, pid = facts.pid, process = facts },
  }
end

-- Answers with how a process stands.
local function standing(info, data, before)
  local why = failure.of(info, reading.process)
  data.error_excerpt = failure.field(why)
  return { text = before .. line_of(facts_of(info)) .. format.below(why), data = data }
end

function actions.status(args)
  local info = any_run.known(needed(args, 'pid'))
  return standing(info, { pid = info.id, process = facts_of(info) }, '')
end

function actions.output(args, ctx)
  local info, handle = any_run.known(needed(args, 'pid'))
  local facts = facts_of(info)
  local shown, texts, why, hint = last_output.of(info, handle, args.tail, {
    session = ctx.session,
    reading = reading.process,
    how = facts.output_path and 'all of it is in ' .. facts.output_path,
  })
  return {
    text = shown,
    data = {
      pid = info.id, process = facts, stdout = texts.stdout, stderr = texts.stderr,
      error_excerpt = failure.field(why), hint = hint,
    },
  }
end

function actions.stop(args)
  local ended = ending.of(needed(args, 'pid'), {
    signal = 'SIGTERM', grace_ms = STOP_GRACE_MS, reading = reading.process,
  })
  local data = { pid = ended.id, process = facts_of(ended.info), stopped = ended.stopped }
  if not ended.text then
    return standing(ended.info, data, 'It is not running: ')
  end
  return { text = ended.text, data = data }
end

function actions.list(_, ctx)
  local processes = json.array {}
  local infos = own_runs.list(owner_of(ctx))
  for index, info in ipairs(infos) do
    processes[index] = facts_of(info)
  end
  local function line_at(index)
    return line_of(processes[index])
  end
  local lines = #infos > 0 and shaped.list(line_at, infos, 'action=status')
    or 'No background processes.'
  return { text = lines, data = { processes = processes } }
end

local process = tool {
  name = 'process',
  title = 'Background processes',
  description = 'Start, check, or stop background shell processes',
  permission = 'execute',
  actions = { status = 'read', output = 'read', list = 'read' },
  annotations = { destructive = true, idempotent = false, open_world = true },
  command = 'command',
  input = INPUT,
  output = OUTPUT,
  run = function(args, ctx)
    return actions[args.action](args, ctx)
  end,
}

return { name = 'process', settings = SETTINGS, tools = { process } }
