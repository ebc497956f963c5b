-- The tools that the tests of the command call: one for each way in which a call can go.

local echo = tool {
  name = 'echo',
  description = 'Gives back what it was given. A second sentence.',
  permission = 'read',
  input = schema.object { text = schema.string { default = '' } },
  run = function(args)
    return { text = args.text, data = { text = args.text } }
  end,
}

local sleep = tool {
  name = 'sleep',
  description = 'Answers after a time.',
  permission = 'read',
  input = schema.object { ms = schema.integer { minimum = 0 } },
  run = function(args)
    time.sleep(args.ms)
    return 'slept'
  end,
}

local steps = tool {
  name = 'steps',
  description = 'Reports progress three times.',
  permission = 'read',
  input = schema.object {},
  run = function()
    for step = 1, 3 do
      tool.progress(step, 3, 'step ' .. step)
      time.sleep(1)
    end
    return 'three steps'
  end,
}

local fail = tool {
  name = 'fail',
  description = 'Raises an error of its own.',
  permission = 'read',
  input = schema.object {},
  run = function()
    tool.error('too_blue', 'The sky is too blue.', { shade = 7 })
  end,
}

local crash = tool {
  name = 'crash',
  description = 'Has a mistake in it.',
  permission = 'read',
  input = schema.object {},
  run = function(args)
    return args.missing.field
  end,
}

local spin = tool {
  name = 'spin',
  description = 'Never ends by itself.',
  permission = 'read',
  input = schema.object {},
  run = function()
    while true do end -- luacheck: ignore 542
  end,
}

local large = tool {
  name = 'large',
  description = 'Gives a large text.',
  permission = 'read',
  input = schema.object { bytes = schema.integer { minimum = 0, maximum = 1048576 } },
  run = function(args)
    return ('x'):rep(args.bytes)
  end,
}

local test = { name = 'test', tools = { echo, sleep, steps, fail, crash, spin, large } }

return { toolsets = { test, require 'toolsets.bg', require 'toolsets.wait' } }
