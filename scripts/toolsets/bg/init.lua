-- The toolset `bg`: shell commands in the background. Five tools: start, status, output, input and
-- kill.
local any_run = require 'toolsets.any_run'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local input = require 'toolsets.bg.input'
local output = require 'toolsets.bg.output'
local reading = require 'toolsets.reading'
local shaped = require 'toolsets.shaped'
local start = require 'toolsets.bg.start'

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

-- Answers that the run had ended before.
local function not_running(info, data)
  local why = failure.of(info, reading.bg)
  data.error_excerpt = failure.field(why)
  local text = 'Process %s is not running (%s: %s)%s'
  return {
    text = text:format(info.id, info.state, info.reason or 'ended', format.below(why)), data = data,
  }
end

-- Ends a run that is not in memory.
local function kill_recorded(record, signal)
  local data = { id = record.id, killed = false, state = record.state, runtime_ms = 0 }
  if record.ended_ms then
    return not_running(record, data)
  end
  local how, text = any_run.kill_recorded(record, signal)
  data.killed = true
  data.state = how == 'killed' and 'killed' or data.state
  return { text = text, data = data }
end

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
    if info.ended_ms and report.how == 'gone' and #report.survivors == 0 then
      return not_running(info, data)
    end
    local after = handle:info() or info -- the run can be forgotten meanwhile
    tool.tells(found.id)
    tool.tells(handle.id)
    data.killed = report.how ~= 'gone' or info.state == 'queued'
    data.state = after.state
    data.how = report.how
    data.dead = report.dead
    data.survivors = json.array(report.survivors)
    local text = format.kill_text(found.id, info, args.signal, report, reading.bg)
    return { text = text, data = data }
  end,
}

return { name = 'bg', tools = { start, status, output, input, kill } }
