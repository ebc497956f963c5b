-- The tool `stop_process`.
local common = require 'toolsets.background.common'
local format = require 'toolsets.format'

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
  },
  run = function(args)
    local handle = format.find_newest(args.process_id)
    local before = handle:info()
    local report, err = handle:kill()
    if not report then
      tool.error(err.code, err.message)
    end
    local info = handle:info() or before
    tool.tells(handle.id)
    local data = {
      process_id = args.process_id,
      stopped = report.how ~= 'gone' or before.state == 'queued', state = info.state,
      exit_code = info.exit_code,
    }
    if before.ended_ms and report.how == 'gone' then
      local text = ('Process %s is not running (%s: %s)'):format(
        args.process_id, info.state, info.reason or 'ended'
      )
      return { text = text, data = data }
    end
    return { text = format.kill_text(args.process_id, before, 'SIGTERM', report), data = data }
  end,
}
