-- The toolset `bg`: shell commands in the background. Five tools: start, status, output, input and
-- kill.
local any_run = require 'toolsets.any_run'
local ending = require 'toolsets.ending'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local output = require 'toolsets.bg.output'
local reading = require 'toolsets.reading'
local shaped = require 'toolsets.shaped'
local start = require 'toolsets.bg.start'
local typing = require 'toolsets.typing'

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
      infos = any_run.infos(ctx.session)
    end
    any_run.tell(infos)
    local usages = format.usages(infos)
    local function line_of(index)
      return format.status_line(infos[index], usages[index])
    end
    local text, why
    if args.id then
      why = failure.of(infos[1], reading.bg)
      text = line_of(1) .. format.below(why)
    else
      text = shaped.list(line_of, infos, 'bg_status with id')
    end
    local data = json.array {}
    for index, info in ipairs(infos) do
      data[index] = format.status_into_data(info, usages[index])
    end
    if why then
      data[1].error_excerpt = failure.field(why)
    end
    text = text ~= '' and text or 'No background processes.'
    return { text = text, data = { processes = data } }
  end,
}

local input = tool {
  name = 'bg_input',
  title = 'Type into a background process',
  description = 'Type into a process, and get what changed.',
  permission = 'execute',
  annotations = { destructive = true, idempotent = false, open_world = true },
  typed = 'keys',
  input = schema.object {
    id = schema.string {},
    keys = schema.string { description = 'ls<Enter>, <C-c>, <Up>; < is <lt>' },
    paste = schema.boolean {
      description = 'keys is text to paste, without names of keys', optional = true, rare = true,
    },
  },
  output = schema.object {
    id = schema.string {},
    state = schema.string {},
    text = schema.string { description = 'What it printed, or the rows that changed' },
    waiting_for_input = schema.boolean {},
    exit_code = schema.integer { optional = true },
    reason = schema.string { optional = true },
    error_excerpt = failure.FIELD,
  },
  run = function(args)
    local text, note, data = typing.type(args.id, args.keys, reading.bg, args.paste)
    return { text = typing.with_note(text, note), data = data }
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
    error_excerpt = failure.FIELD,
  },
  run = function(args)
    local ended = ending.of(args.id, { signal = args.signal, reading = reading.bg })
    local report = ended.report or {}
    return ending.answer(ended, {
      id = ended.id, killed = ended.stopped, state = ended.info.state,
      runtime_ms = ended.report and ended.before.runtime_ms or 0,
      how = ended.text and report.how, dead = ended.text and report.dead,
      survivors = ended.text and report.survivors and json.array(report.survivors),
    }, reading.bg)
  end,
}

return { name = 'bg', tools = { start, status, output, input, kill } }
