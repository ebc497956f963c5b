-- What the containment tests call besides the toolset `bg`.

local start = tool {
  name = 'start',
  description = 'Starts a command that outlives the call.',
  permission = 'execute',
  input = schema.object {
    command = schema.string {},
    limits = schema.object({}, { additional = true, default = {} }),
    keep = schema.boolean { default = false },
    sandbox = schema.string { optional = true },
  },
  run = function(args)
    local handle, err =
      run.start {
        command = args.command, timeout_ms = 0, limits = args.limits, detach = true,
        on_host_death = args.keep and 'keep' or 'kill', sandbox = args.sandbox,
      }
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
    local info = handle:info()
    return { data = { state = info.state, limit = info.limit and info.limit.name } }
  end,
}

return { toolsets = { require 'toolsets.bg', { name = 'faults', tools = { start, ended } } } }
