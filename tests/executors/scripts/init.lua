-- Tools for the tests of executors: run.start with any options, and views of a run.
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

local usage = tool {
  name = 'usage', description = 'Tells what a run costs.', permission = 'read',
  input = schema.object { id = schema.string {} },
  run = function(args)
    local costs, err = run.get(args.id):usage()
    if not costs then
      tool.error(err.code, err.message)
    end
    return { data = { usage = costs } }
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

local type_keys = tool {
  name = 'type', description = 'Types keys into a run.', permission = 'execute',
  input = schema.object { id = schema.string {}, keys = schema.string {} },
  run = function(args)
    local ok, err = run.get(args.id):send_keys(args.keys)
    if not ok then
      tool.error(err.code, err.message)
    end
    return 'typed'
  end,
}

-- Runs commands here, and reports the ports and costs in its settings.
local told = {
  name = 'told',
  settings = schema.object {
    ports = schema.any { optional = true },
    says = schema.any { optional = true },
    fails = schema.boolean { default = false },
    late_ms = schema.integer { default = 0 },
  },
  prepare = function(spec)
    return {
      argv = { spec.shell, '-c', spec.command }, state = spec.settings, ports_later = true,
    }
  end,
  ports = function(event)
    return event.state.ports and { ports = event.state.ports }
  end,
  usage = function(event)
    time.sleep(event.state.late_ms)
    if event.state.fails then
      tool.error('executor_failed', 'as it was told')
    end
    return event.state.says
  end,
}

local executors = { told, unpack(require 'executors') }

return {
  toolsets = {
    require 'toolsets.bg', require 'toolsets.wait', require 'toolsets.background',
    { name = 'test', tools = { start, info, usage, write, type_keys } },
  },
  executors = executors,
}
