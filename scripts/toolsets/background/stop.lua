-- The tool `stop_process`.
local any_run = require 'toolsets.any_run'
local checked = require 'toolsets.checked'
local common = require 'toolsets.background.common'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local memory_run = require 'toolsets.memory_run'
local reading = require 'toolsets.reading'

-- Answers that the process had ended before.
local function not_running(info, data)
  local why = failure.of(info, reading.background)
  data.error_excerpt = failure.field(why)
  local text = 'Process %s is not running (%s: %s)%s'
  return {
    text = text:format(data.process_id, info.state, info.reason or 'ended', format.below(why)),
    data = data,
  }
end

-- Stops a process that is not in memory.
local function stop_recorded(info)
  local how, text = any_run.kill_recorded(info)
  local data = {
    process_id = info.id, stopped = how ~= nil, state = how == 'killed' and 'killed' or info.state,
    exit_code = info.exit_code,
  }
  return how and { text = text, data = data } or not_running(info, data)
end

return tool {
  name = 'stop_process',
  title = 'Stop a process',
  description = 'Terminate a background process and everything that it started.',
  permission = 'execute',
  annotations = { destructive = true, idempotent = true, open_world = false },
  input = schema.object { process_id = common.ID },
  output = schema.object {
    process_id = schema.string {},
    stopped = schema.boolean { description = 'false: it had ended before' },
    state = schema.string {},
    exit_code = schema.integer { optional = true },
    error_excerpt = failure.FIELD,
  },
  run = function(args)
    local known, found = any_run.known(args.process_id)
    if not found then
      return stop_recorded(known)
    end
    local handle = memory_run.newest(found)
    local before = handle:info()
    local report = checked(handle:kill())
    local info = handle:info() or before
    tool.tells(handle.id)
    local data = {
      process_id = known.id,
      stopped = report.how ~= 'gone' or before.state == 'queued', state = info.state,
      exit_code = info.exit_code,
    }
    if before.ended_ms and report.how == 'gone' then
      return not_running(info, data)
    end
    local text = format.kill_text(known.id, before, 'SIGTERM', report, reading.background)
    return { text = text, data = data }
  end,
}
