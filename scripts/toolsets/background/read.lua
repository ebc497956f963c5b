-- The tool `read_process_output`.
local any_run = require 'toolsets.any_run'
local bg_read = require 'toolsets.bg.read'
local buffering = require 'toolsets.buffering'
local common = require 'toolsets.background.common'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local last_output = require 'toolsets.last_output'
local reading = require 'toolsets.reading'
local shaped = require 'toolsets.shaped'

local DEFAULT_LINES = 50
local MAX_LINES = 10000
local MAX_OFFSET = 2 ^ 53
-- Beside a note and the state.
local OUTPUT_BYTES = shaped.MAX_CHARS - 900

-- Reads one stream on from an offset.
local function from_offset(handle, args)
  if not args.stream then
    tool.error('invalid_arguments', "args.stream: expected 'stdout' or 'stderr', which `from` is "
      .. 'an offset of')
  elseif not handle then
    tool.error('invalid_arguments', 'args.from: only the journal knows this process any more; '
      .. 'leave it out')
  end
  local part = bg_read.from(handle, args.stream, args.from, OUTPUT_BYTES)
  local texts = { stdout = '', stderr = '' }
  texts[args.stream] = part.text
  return format.section(args.stream, part), texts
end

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
    stream = schema.string { enum = shaped.STREAMS, optional = true, rare = true },
    from = schema.integer {
      description = 'Offset in the stream to read on from, as a note names it',
      minimum = 0, maximum = MAX_OFFSET, optional = true, rare = true,
    },
  },
  output = schema.object {
    id = schema.string {},
    state = schema.string {},
    exit_code = schema.integer { optional = true },
    stdout = schema.string {},
    stderr = schema.string {},
    error_excerpt = failure.FIELD,
    hint = buffering.FIELD,
  },
  run = function(args, ctx)
    local info, handle = any_run.known(args.id)
    local text, texts, why, hint
    if args.from then
      text, texts = from_offset(handle, args)
    else
      text, texts, why, hint = last_output.of(info, handle, args.lines, {
        session = ctx.session, only = args.stream, reading = reading.background,
      })
    end
    return {
      text = text,
      data = {
        id = info.id, state = info.state, exit_code = info.exit_code,
        stdout = texts.stdout, stderr = texts.stderr, error_excerpt = failure.field(why or ''),
        hint = hint,
      },
    }
  end,
}
