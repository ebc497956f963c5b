-- The action `send_keys`: types into a run, and shows its terminal.
local call = require 'toolsets.shell.call'
local checked = require 'toolsets.checked'
local format = require 'toolsets.shell.format'
local one_line = require('toolsets.format').one_line

-- How long it waits for a run that was just spawned to start.
local START_WAIT_MS = 5000
local QUEUE_WAIT_MS = 250
-- After keys, it waits until the terminal has been quiet for this long, within a limit.
local SETTLE_MS = 150
local SETTLE_LIMIT_MS = 3000

-- Ends the call: the run is still queued.
local function still_queued(id, place)
  if place.reason then
    tool.error('not_running', ('Run %s is queued: %s'):format(id, place.reason))
  elseif place.before then
    tool.error('not_running', ('Run %s is queued: it waits for run %s (%s) of the same session '
      .. 'to end. Kill that one, or spawn with another session_id'):format(
      id, place.before.id, one_line(place.before.command)))
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

return function(args)
  local keys = call.required(args, 'keys', 'send_keys')
  local handle = started(call.run_id(args, 'send_keys'))
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
