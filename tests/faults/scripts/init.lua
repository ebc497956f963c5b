-- What the containment tests call besides the toolset `bg`.

local start = tool {
  name = 'start',
  description = 'Starts a command that outlives the call.',
  permission = 'execute',
  input = schema.object {
    command = schema.string {},
    limits = schema.object({}, { additional = true, default = {} }),
    keep = schema.boolean { default = false },
    pty = schema.boolean { default = false },
    sandbox = schema.string { optional = true },
    watch = schema.any { optional = true },
    max_output_bytes = schema.integer { optional = true },
  },
  run = function(args)
    local handle, err =
      run.start {
        command = args.command, timeout_ms = 0, limits = args.limits, detach = true,
        on_host_death = args.keep and 'keep' or 'kill', sandbox = args.sandbox, pty = args.pty,
        watch = args.watch, max_output_bytes = args.max_output_bytes,
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

local keys = tool {
  name = 'keys',
  description = 'Types into a terminal, and waits until it shows something.',
  permission = 'execute',
  input = schema.object {
    id = schema.string {}, keys = schema.string {}, shows = schema.string {},
  },
  run = function(args)
    local handle = run.get(args.id)
    if args.keys ~= '' then assert(handle:send_keys(args.keys)) end
    local answer = handle:wait { any = { wait.screen(handle, args.shows) }, timeout_ms = 20000 }
    return { data = { ok = answer.ok, lines = handle:screen().lines } }
  end,
}

local told = tool {
  name = 'told',
  description = 'How often an event of a run was recorded.',
  permission = 'read',
  input = schema.object { id = schema.string {}, event = schema.string {} },
  run = function(args)
    local count = 0
    for _, item in ipairs(assert(journal.items(args.id)).items) do
      if item.type == 'event' and item.payload == args.event then count = count + 1 end
    end
    return { data = { count = count } }
  end,
}

local recorded = tool {
  name = 'recorded',
  description = 'What the journal has of the stdout of a run.',
  permission = 'read',
  input = schema.object { id = schema.string {} },
  run = function(args)
    local text, since = {}, 0
    repeat
      local page = assert(journal.items(args.id, { since_seq = since }))
      for _, item in ipairs(page.items) do
        if item.type == 'stdout' then text[#text + 1] = item.payload end
      end
      since = page.next_seq
    until not page.more
    return { data = { stdout = table.concat(text) } }
  end,
}

return {
  toolsets = {
    require 'toolsets.bg', { name = 'faults', tools = { start, ended, keys, told, recorded } },
  },
}
