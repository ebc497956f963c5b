-- The tool `list_processes`.
local common = require 'toolsets.background.common'
local format = require 'toolsets.format'
local own_runs = require 'toolsets.own_runs'
local shaped = require 'toolsets.shaped'

-- The output schemas are small, because a model pays for them in every session and reads the text.
-- They declare what programs continue with and allow additional fields.
local STATUS = schema.object({
  id = schema.string {},
  state = schema.string {},
  pid = schema.integer {},
  exit_code = schema.integer { optional = true },
}, { additional = true })

local function status_of(info, usage)
  return {
    id = info.id, command = info.command, state = info.state, exit_code = info.exit_code,
    reason = info.reason, limit = info.limit, pid = info.pid, runtime_ms = info.runtime_ms,
    left_behind = info.left_behind, usage = usage,
  }
end

return tool {
  name = 'list_processes',
  title = 'List processes',
  description = 'Background processes and jobs: status, exit code, processor and memory, ports.',
  permission = 'read',
  output = schema.object { processes = schema.array(STATUS) },
  run = function(_, ctx)
    local infos = own_runs.list(common.owner_of(ctx))
    local usages = format.usages(infos)
    local data = json.array {}
    for index, info in ipairs(infos) do
      data[index] = status_of(info, usages[index])
    end
    local function line_of(index)
      return format.status_line(infos[index], usages[index])
    end
    local text = #infos > 0 and shaped.list(line_of, infos, 'read_process_output')
      or 'No background processes.'
    return { text = text, data = { processes = data } }
  end,
}
