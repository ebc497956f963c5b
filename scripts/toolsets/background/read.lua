-- The tool `read_process_output`.
local common = require 'toolsets.background.common'
local format = require 'toolsets.format'

local DEFAULT_LINES = 50
local MAX_LINES = 10000
local MAX_READ_BYTES = 16 * 1024

return tool {
  name = 'read_process_output',
  title = 'Read output',
  description = 'The last lines of stdout and stderr of a background process or job.',
  permission = 'read',
  input = schema.object {
    id = common.ID,
    lines = schema.integer {
      description = 'Lines of each stream',
      default = DEFAULT_LINES, minimum = 0, maximum = MAX_LINES,
    },
  },
  output = schema.object {
    id = schema.string {},
    state = schema.string {},
    exit_code = schema.integer { optional = true },
    stdout = schema.string {},
    stderr = schema.string {},
  },
  run = function(args)
    local handle = format.find(args.id)
    local info = handle:info()
    local text, texts = format.tails(handle, args.lines, MAX_READ_BYTES)
    return {
      text = text,
      data = {
        id = args.id, state = info.state, exit_code = info.exit_code,
        stdout = texts.stdout, stderr = texts.stderr,
      },
    }
  end,
}
