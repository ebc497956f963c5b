-- The toolset `shell`: one tool with actions. Spawned runs are queued: those of one session run one
-- after the other. They are recorded item by item and read with a cursor, also by a later Gibbous.
local call = require 'toolsets.shell.call'
local format = require 'toolsets.shell.format'
local shape = require 'toolsets.shell.shape'
local start = require 'toolsets.shell.start'

-- How long a kill waits for the end of the run before it answers; it continues after that.
local KILL_WAIT_MS = 250

local actions = { send_keys = require 'toolsets.shell.keys' }

function actions.spawn(args, ctx)
  if args.background == false then
    local handle = start.wait_for_end(args, 'spawn')
    return actions.poll { run_id = handle.id, since_seq = 0 }
  end
  return start.queue(args, ctx)
end

function actions.poll(args)
  local id = call.required(args, 'run_id', 'poll')
  local since_seq = args.since_seq or 0
  local recorded = call.check(journal.items(id, { since_seq = since_seq, clean = true }))
  local data = format.poll_data(recorded, start.output_left(id, since_seq))
  data.screen = format.screen(run.get(id))
  if data.done then
    tool.tells(id)
  end
  return { text = format.poll_text(data), data = data }
end

function actions.kill(args)
  local id = call.required(args, 'run_id', 'kill')
  local handle = run.get(id)
  if not handle then
    local how, err = journal.kill(id)
    if not how and err.code ~= 'run_ended' then
      tool.error(err.code, err.message)
    end
    local state = call.check(journal.items(id, { limit = 1 })).run.state
    local killed = how == 'killed'
    return {
      text = ('Run %s: %s.'):format(id, how == 'asked' and 'its host was asked to end it' or state),
      data = { run_id = id, status = state, killed = killed },
    }
  end
  if handle:info().ended_ms then
    local state = handle:info().state
    return {
      text = ('Run %s is not running: %s.'):format(id, state),
      data = { run_id = id, status = state, killed = false },
    }
  end
  local killing = task.spawn(function()
    return handle:kill()
  end)
  local answer = handle:wait { any = { { kind = 'exit' } }, timeout_ms = KILL_WAIT_MS }
  if not (answer and answer.ok) then
    killing:cancel()
  end
  local info = handle:info()
  return {
    text = ('Run %s: %s.'):format(id, info.ended_ms and info.state or 'is being ended'),
    data = { run_id = id, status = info.state, killed = true },
  }
end

-- Runs a command without an action: it waits for the end.
local function one_shot(args)
  local handle = start.wait_for_end(args, 'a command without action')
  local data, cut = format.result(handle, args.max_output_bytes)
  return { text = format.result_text(data, cut), data = data }
end

local shell = tool {
  name = 'shell',
  title = 'Shell',
  description = 'Run a shell command. Without action it waits for the end. With action=spawn it '
    .. 'runs in the background; poll it with since_seq, or give watch patterns and be told. With '
    .. 'pty it has a terminal: type with send_keys, which gives the screen.',
  permission = 'execute',
  actions = { poll = 'read' },
  annotations = { destructive = true, idempotent = false, open_world = true },
  command = 'command',
  typed = 'keys',
  input = shape.INPUT,
  output = shape.OUTPUT,
  run = function(args, ctx)
    if args.action then
      return actions[args.action](args, ctx)
    end
    return one_shot(args)
  end,
}

return { name = 'shell', tools = { shell } }
