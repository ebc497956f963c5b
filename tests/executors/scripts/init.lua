-- What the tests of executors call: run.start with whatever options, and what shows a run.
local start = tool {
  name = 'start', description = 'Starts a run with these options.', permission = 'execute',
  input = schema.object({}, { additional = true }),
  run = function(args)
    args.detach = true
    local handle, err = run.start(args)
    if not handle then
      tool.error(err.code, err.message)
    end
    return { data = { id = handle.id, info = handle:info() } }
  end,
}

local info = tool {
  name = 'info', description = 'Gives the facts about a run.', permission = 'read',
  input = schema.object { id = schema.string {} },
  run = function(args)
    local handle = run.get(args.id)
    return { data = { info = handle:info() } }
  end,
}

local write = tool {
  name = 'write', description = 'Writes to the stdin of a run, and closes it.',
  permission = 'execute',
  input = schema.object { id = schema.string {}, text = schema.string {} },
  run = function(args)
    local handle = run.get(args.id)
    local ok, err = handle:write(args.text)
    if not ok then
      tool.error(err.code, err.message)
    end
    handle:close_stdin()
    return 'written'
  end,
}

return {
  toolsets = {
    require 'toolsets.bg', require 'toolsets.wait', require 'toolsets.background',
    { name = 'test', tools = { start, info, write } },
  },
  executors = require 'executors',
}
