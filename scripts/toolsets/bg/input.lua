-- The tool `bg_input`: types into a process, and answers with what changed.
local failure = require 'toolsets.failure'
local reading = require 'toolsets.reading'
local typing = require 'toolsets.typing'

return tool {
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
