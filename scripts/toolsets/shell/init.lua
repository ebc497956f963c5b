-- The toolset `shell`: one tool with actions. Spawned runs are queued: those of one session run one
-- after the other. They are recorded item by item and read with a cursor, also by a later Gibbous.
local any_run = require 'toolsets.any_run'
local buffering = require 'toolsets.buffering'
local checked = require 'toolsets.checked'
local failure = require 'toolsets.failure'
local format = require 'toolsets.shell.format'
local reading = require 'toolsets.reading'
local required = require 'toolsets.required'
local result = require 'toolsets.shell.result'
local shape = require 'toolsets.shell.shape'
local shaped = require 'toolsets.shaped'
local start = require 'toolsets.shell.start'
local text_format = require 'toolsets.format.text'

local below = text_format.below

-- Output of a poll, beside events, the state and an excerpt.
local PAGE_BYTES = shaped.MAX_CHARS - 900
local MAX_PAGE_BYTES = 1024 * 1024
-- How long a kill waits for the end of the run before it answers; it continues after that.
local KILL_WAIT_MS = 250
-- How often, and how many times at most, it is asked whether more of an ended run will be recorded:
-- 5 s, as long as records wait for events (kLateEventTime).
local RECORD_POLL_MS = 20
local MOST_RECORD_POLLS = 250

-- How long it waits for a run that was just spawned to start.
local START_WAIT_MS = 5000
local QUEUE_WAIT_MS = 250
-- After keys, it waits until the terminal has been quiet for this long, within a limit.
local SETTLE_MS = 150
local SETTLE_LIMIT_MS = 3000

local actions = {}

-- Returns the id of the run that the argument run_id names by its id or its label.
local function run_id(args, action)
  return any_run.id_of(required(args, 'run_id', action))
end

-- What comes after an end, such as the result of a handler, is recorded with it, and the record
-- says when that is over. A journal that is busy may not know of the end yet.
local function all_of_end(handle)
  local answer = actions.poll { run_id = handle.id, since_seq = 0 }
  for _ = 1, MOST_RECORD_POLLS do
    if answer.data.done or answer.data.more then
      break
    end
    checked(handle:wait { any = { { kind = 'timer', ms = RECORD_POLL_MS } } })
    answer = actions.poll { run_id = handle.id, since_seq = 0 }
  end
  return answer
end

function actions.spawn(args, ctx)
  if args.background == false then
    if args.request_id then
      tool.error('invalid_arguments', 'args.request_id: needs a spawn in the background')
    end
    return all_of_end(start.wait_for_end(args, 'spawn'))
  end
  return start.queue(args, ctx)
end

function actions.poll(args)
  local id = run_id(args, 'poll')
  local since_seq = args.since_seq or 0
  local budget = args.max_output_bytes or PAGE_BYTES
  local recorded = checked(journal.items(id, {
    since_seq = since_seq, clean = true, max_bytes = math.min(budget, MAX_PAGE_BYTES),
  }))
  local data = format.poll_data(recorded, start.output_left(id, since_seq))
  local handle = run.get(id)
  data.screen = format.screen(handle)
  local text = format.poll_text(data, budget)
  if data.done then
    tool.tells(id)
    -- A poll that goes on has given what came before it.
    if since_seq == 0 or format.has_output(data.items) then
      local why = failure.beyond(text, recorded.run, reading.shell)
      data.error_excerpt = failure.field(why)
      text = text .. below(why)
    end
  elseif data.more and since_seq == 0 then
    text = text .. below(handle and failure.errors(handle, text)
      or failure.beyond(text, recorded.run, reading.shell))
  elseif data.status == 'queued' then
    data.hint = 'Queued: ' .. any_run.place_text(id)
    text = text .. below(data.hint)
  elseif handle and not format.has_output(data.items) then
    data.hint = buffering.hint(handle)
    text = text .. below(data.hint or '')
  end
  return { text = text, data = data }
end

-- Answers that the run had ended before.
local function not_running(info)
  local why = failure.of(info, reading.shell)
  local reason = info.state ~= 'completed' and info.reason
  reason = reason and (' (%s)'):format(reason) or ''
  return {
    text = ('Run %s is not running: %s%s.%s'):format(info.id, info.state, reason, below(why)),
    data = {
      run_id = info.id, status = info.state, killed = false, error_excerpt = failure.field(why),
    },
  }
end

function actions.kill(args)
  local id = run_id(args, 'kill')
  local handle = run.get(id)
  if not handle then
    local how, err = journal.kill(id)
    if not how and err.code ~= 'run_ended' then
      checked(nil, err)
    end
    local record = checked(journal.items(id, { limit = 1 })).run
    if not how then
      return not_running(record)
    end
    local state = record.state
    local killed = how == 'killed'
    return {
      text = ('Run %s: %s.'):format(id, how == 'asked' and 'its host was asked to end it' or state),
      data = { run_id = id, status = state, killed = killed },
    }
  end
  if handle:info().ended_ms then
    return not_running(handle:info())
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

-- Ends the call: the run is still queued.
local function still_queued(id, place)
  if place.reason then
    tool.error('not_running', ('Run %s is queued: %s'):format(id, place.reason))
  elseif place.before then
    tool.error('not_running', ('Run %s is queued: it waits for run %s (%s) of the same session '
      .. 'to end. Kill that one, or spawn with another session_id'):format(
      id, place.before.id, text_format.one_line(place.before.command)))
  end
  tool.error('not_running', ('Run %s is %s: it waits for a place; end another run, or raise '
    .. 'limits.max_concurrent'):format(id, place.state))
end

-- Returns the handle once the run has started; a run that was just spawned may need a moment.
local function started(id)
  local handle = run.get(id)
  if not handle then
    local place = checked(journal.queue(id, { wait_ms = QUEUE_WAIT_MS }))
    if place.state == 'queued' and not place.before then
      place = checked(journal.queue(id, { wait_ms = START_WAIT_MS }))
    end
    if place.state == 'queued' then
      still_queued(id, place)
    end
    handle = checked(run.get(id))
  end
  if not handle:info().started_ms then
    handle:wait { any = { { kind = 'start' } }, timeout_ms = START_WAIT_MS }
  end
  if not handle:info().started_ms then
    still_queued(id, { state = handle:info().state })
  end
  return handle
end

function actions.send_keys(args)
  local keys = required(args, 'keys', 'send_keys')
  local handle = started(run_id(args, 'send_keys'))
  local info = handle:info()
  if not info.pty and not info.stdin_open then
    local message = 'Run %s has no terminal to type into: spawn it with pty=true'
    tool.error('no_terminal', message:format(handle.id))
  end
  checked(handle:send_keys(keys, { paste = args.paste }))
  handle:wait {
    all = { { kind = 'timer', ms = SETTLE_MS }, { kind = 'quiet', ms = SETTLE_MS } },
    timeout_ms = SETTLE_LIMIT_MS,
  }
  local data = { run_id = handle.id, status = handle:info().state, screen = format.screen(handle) }
  return { text = format.screen_text(data), data = data }
end

-- Runs a command without an action: it waits for the end.
local function one_shot(args)
  local handle = start.wait_for_end(args, 'a command without action')
  local data, cut = result.data(handle, args.max_output_bytes)
  local how = ('action=poll, run_id=%s'):format(handle.id)
  return { text = result.text(data, how, cut), data = data }
end

local shell = tool {
  name = 'shell',
  title = 'Shell',
  description = 'Run a $SHELL command. Without action it waits for the end. With action=spawn it '
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
