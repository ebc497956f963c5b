-- What the containment tests call besides the toolset `bg`.

local start = tool {
  name = 'start',
  description = 'Starts a command that outlives the call.',
  permission = 'execute',
  input = schema.object {
    command = schema.string {},
    timeout_ms = schema.integer { default = 0, minimum = 0 },
  },
  run = function(args)
    local handle, err =
      run.start { command = args.command, timeout_ms = args.timeout_ms, detach = true }
    if not handle then tool.error(err.code, err.message) end
    local info = handle:info()
    return { data = { id = handle.id, pid = info.pid } }
  end,
}

local ended = tool {
  name = 'ended',
  description = 'Waits for the end of a run.',
  permission = 'read',
  input = schema.object { id = schema.string {} },
  run = function(args)
    local handle = run.get(args.id)
    handle:wait { any = { { kind = 'exit' } }, timeout_ms = 30000 }
    return { data = { state = handle:info().state } }
  end,
}

return { toolsets = { require 'toolsets.bg', { name = 'faults', tools = { start, ended } } } }
