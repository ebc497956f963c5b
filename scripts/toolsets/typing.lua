-- Typing into a process: waits until it wants more, and tells what changed.
local any_run = require 'toolsets.any_run'
local checked = require 'toolsets.checked'
local failure = require 'toolsets.failure'
local shaped = require 'toolsets.shaped'
local below = require('toolsets.format.text').below

local M = {}

-- A program that has been given something answers, or thinks in silence: it is waited for until it
-- asks for more or has been silent for so long.
local SILENCE_MS = 1000
local LIMIT_MS = 10000
local MAX_BYTES = 7100 -- beside notes and an excerpt
local START_WAIT_MS = 5000
-- A program that draws is looked at when it pauses.
local DRAWN_MS = 150

-- Returns the handle of a run that can be typed into, once it has started.
local function find(id)
  local handle, record = any_run.find(id)
  if not handle and record.state == 'queued' then
    if not any_run.started_within(id, START_WAIT_MS) then
      tool.error('not_running', ('Process %s is queued: %s'):format(
        record.id, any_run.place_text(record.id)))
    end
    handle = run.get(record.id)
  end
  local info = handle and handle:info()
  if not info or info.ended_ms then
    local state = info and info.state or record.state
    tool.error('not_running', ('Process %s is not running (%s)'):format(
      handle and handle.id or record.id, state))
  elseif not info.pty and not info.stdin_open then
    tool.error('no_terminal',
      ('Process %s takes no input: start it with pty=true or until=input'):format(handle.id))
  end
  return handle, info
end

-- Waits until the run asks for more, ends, or falls silent; returns whether it asks. A program that
-- draws its screen reads keys all the time: it is looked at when it pauses.
local function settle(handle, drawing)
  if drawing then
    handle:wait { all = { wait.timer(DRAWN_MS), wait.quiet(handle, DRAWN_MS) },
      timeout_ms = LIMIT_MS }
    return false
  end
  local since, left = time.monotonic_ms(), SILENCE_MS
  repeat
    local answer = handle:wait {
      any = { wait.exit(handle), wait.input(handle) }, timeout_ms = left,
    }
    if not answer or answer.reason ~= 'timeout' then
      local fired = answer and answer.fired[1]
      return fired ~= nil and fired.kind == 'input'
    end
    left = SILENCE_MS - handle:info().idle_ms
  until left <= 0 or time.monotonic_ms() - since > LIMIT_MS
  return false
end

-- Returns what was printed since, the end of it when it is too much.
local function printed_since(handle, from, how)
  local parts, info = {}, handle:info()
  local share = shaped.shares({
    stdout = { bytes = info.stdout.bytes - from.stdout },
    stderr = { bytes = info.stderr.bytes - from.stderr },
  }, MAX_BYTES)
  for _, stream in ipairs(shaped.STREAMS) do
    local bytes = math.max(1, share[stream])
    local part = handle:read { stream = stream, since = from[stream], max_bytes = bytes }
    if part.more then
      part = handle:tail { stream = stream, lines = bytes, max_bytes = bytes }
      parts[#parts + 1] = ('[%d bytes of %s left out: %s]\n'):format(
        part.from - from[stream], stream, how(handle.id, stream, from[stream]))
    end
    parts[#parts + 1] = part.text
  end
  return table.concat(parts)
end

-- Returns the text without the echo of the keys at its beginning.
local function without_echo(text, keys)
  local typed = keys:gsub('<Enter>$', '')
  if typed ~= '' and text:sub(1, #typed + 1) == typed .. '\n' then
    return text:sub(#typed + 2)
  end
  return text
end

-- Returns the rows of a screen that have changed, with their numbers.
local function changed_rows(handle, version)
  local screen = handle:screen { since = version }
  local lines = {}
  for _, row in ipairs(screen.changed) do
    lines[#lines + 1] = ('%d: %s'):format(row, screen.lines[row])
  end
  return table.concat(lines, '\n')
end

--- Types into a run. Ends the call when that is not possible. Returns what the run printed since,
--- or the rows that changed, a note on how it stands, and both as data.
---
--- Example: `local text, note = typing.type(args.id, 'ls<Enter>', reading.bg)`
---@param id string
---@param keys string
---@param how fun(id: string, stream?: string, from?: integer): string reads what is left out
---@param paste? boolean
---@return string text
---@return string note
---@return table data
function M.type(id, keys, how, paste)
  local handle, info = find(id)
  local from = { stdout = info.stdout.bytes, stderr = info.stderr.bytes }
  local screen = info.pty and handle:screen()
  checked(handle:send_keys(keys, { paste = paste }))
  local asks = settle(handle, screen and screen.alternate)
  local shown = info.pty and handle:screen()
  local drawn = shown and shown.alternate
  local text = drawn and changed_rows(handle, screen.version)
    or printed_since(handle, from, how)
  if info.pty and not drawn then
    text = without_echo(text, keys)
  end
  local after = handle:info()
  local note, why = '', ''
  if after.ended_ms then
    tool.tells(handle.id)
    local is_asked = after.state == 'killed' and not after.limit -- <C-c> says why itself
    why = is_asked and '' or failure.beyond(text, after, how)
    note = ('[%s: %s]%s'):format(handle.id, after.reason or after.state, below(why))
  elseif not asks and not drawn then
    note = '[no prompt yet]'
  end
  return text, note, {
    id = handle.id, state = after.state, text = text, waiting_for_input = asks or false,
    exit_code = after.exit_code, reason = after.reason, error_excerpt = failure.field(why),
  }
end

--- Puts a note below a text.
---@param text string
---@param note string
---@return string
function M.with_note(text, note)
  local gap = note ~= '' and text ~= '' and text:sub(-1) ~= '\n' and '\n' or ''
  return text .. gap .. note
end

return M
