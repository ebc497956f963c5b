-- The tools `wait_for_port` and `wait_for_service`.
local background_wait = require 'toolsets.background.wait'
local common = require 'toolsets.background.common'

local DEFAULT_WAIT_S = 30
local MAX_WAIT_S = 600
-- As for wait_for.
local TASK_AFTER_MS = 2000

local WAIT_TIMEOUT = schema.number {
  description = 'Seconds',
  default = DEFAULT_WAIT_S, minimum = 0, maximum = MAX_WAIT_S,
}

local WAITED = schema.object({
  id = schema.string { optional = true },
  port = schema.integer { optional = true },
  line = schema.string { optional = true },
  elapsed_ms = schema.integer {},
}, { additional = true })

-- Says what came true: the line, and where the service is. A process that the call named by its id
-- is not named again.
local function service_text(data, given)
  local facts = {}
  facts[#facts + 1] = data.id ~= given and 'process ' .. data.id or nil
  facts[#facts + 1] = data.port and ('port %d on %s'):format(data.port, data.address) or nil
  facts[#facts + 1] = data.status and ('HTTP %d'):format(data.status) or nil
  facts[#facts + 1] = 'after ' .. time.format_duration(data.elapsed_ms)
  return ('The service is ready%s (%s)'):format(
    data.line and ': ' .. data.line or '', table.concat(facts, ', '))
end

local wait_for_port = tool {
  name = 'wait_for_port',
  title = 'Wait for a port',
  description = 'Wait until a TCP port of this machine listens, instead of sleeping. Fails at '
    .. 'once, with the last output, when the process ends before.',
  permission = 'read',
  task = TASK_AFTER_MS,
  input = schema.object {
    port = schema.integer { minimum = 1, maximum = 65535 },
    timeout = WAIT_TIMEOUT,
    id = schema.string { description = 'Process that opens it', optional = true },
  },
  output = WAITED,
  run = function(args, ctx)
    local data = background_wait.service(common.owner_of(ctx), args)
    local text = ('Port %d is listening on %s (after %s)'):format(
      args.port, data.address, time.format_duration(data.elapsed_ms))
    return { text = text, data = data }
  end,
}

local wait_for_service = tool {
  name = 'wait_for_service',
  title = 'Wait for a service',
  description = 'Wait until a service is ready: its port listens, a line of its output matches, '
    .. 'its URL answers; all that you give must hold. Output from before counts.',
  permission = 'read',
  task = TASK_AFTER_MS,
  input = schema.object {
    port = schema.integer { minimum = 1, maximum = 65535, optional = true },
    output_regex = schema.string {
      description = 'Regular expression (RE2), found in a line of output', min_length = 1,
      optional = true,
    },
    http = schema.string {
      description = 'URL (http://...) that must answer', min_length = 1, optional = true,
    },
    id = schema.string {
      description = 'Process that it is about (default: any of yours)', optional = true,
    },
    timeout = WAIT_TIMEOUT,
  },
  output = WAITED,
  run = function(args, ctx)
    if not (args.port or args.output_regex or args.http) then
      tool.error('invalid_arguments', 'nothing to wait for: give port, output_regex or http')
    end
    local given = args.id
    local data = background_wait.service(common.owner_of(ctx), args)
    return { text = service_text(data, given), data = data }
  end,
}

return { wait_for_port, wait_for_service }
