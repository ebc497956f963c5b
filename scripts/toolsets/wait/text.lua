-- How a wait that is over reads: what came true, and why nothing can come true any more.
local buffering = require 'toolsets.buffering'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local reading = require 'toolsets.reading'

local M = {}

-- Describes each kind of condition that came true.
local DESCRIBE = {
  port = function(fired)
    local by = fired.pid and (' (pid %d)'):format(fired.pid) or ''
    local from = fired.mapped_from
    local inner = from and (', mapped from its port %d'):format(from) or ''
    return ('port %d is listening on %s%s%s'):format(fired.port, fired.address, by, inner)
  end,
  regex = function(fired)
    local age = fired.age_ms and ('%s ago; '):format(time.format_duration(fired.age_ms)) or ''
    return ('%s of %s has the line: %s\n(%sit goes on at offset %d)'):format(
      fired.stream, fired.run, fired.line, age, fired.cursor)
  end,
  screen = function(fired)
    return ('row %d of the screen of %s is: %s'):format(fired.row, fired.run, fired.line)
  end,
  http = function(fired)
    local asked = fired.mapped_url and (' (asked as %s)'):format(fired.mapped_url) or ''
    return ('%s%s answered %d'):format(fired.url, asked, fired.status)
  end,
  exit = function(fired)
    local handle = run.get(fired.run)
    local info = handle and handle:info()
      or { id = fired.run, state = 'ended', reason = 'and was forgotten' }
    return ('%s ended: %s, %s'):format(fired.run, info.state, info.reason or 'no reason known'),
      failure.of(info, reading.bg) .. (handle and format.sandbox_note(handle) or '')
  end,
  quiet = function(fired)
    local handle = run.get(fired.run)
    local info = handle and handle:info()
    local is_mute = info and info.stdout.bytes + info.stderr.bytes == 0
    return ('%s is quiet'):format(fired.run), is_mute and buffering.note(handle) or ''
  end,
  input = function(fired)
    local prompt = fired.line ~= '' and ': ' .. fired.line or ''
    return ('%s waits for input%s'):format(fired.run, prompt)
  end,
  file = function(fired)
    return ('%s is there'):format(fired.path)
  end,
  timer = function()
    return 'the time is over'
  end,
}

--- Describes a condition that came true.
---@param fired Fired
---@return string line
---@return string why the run of an exit failed, or ''
function M.describe(fired)
  local line, why = DESCRIBE[fired.kind](fired)
  return line, why or ''
end

--- Tells the call which runs the answer of a wait says the state of.
---@param answer WaitAnswer
function M.tell(answer)
  if answer.reason == 'impossible' and answer.run then
    tool.tells(answer.run)
  end
  for _, fired in ipairs(answer.fired) do
    if fired.kind == 'exit' then
      tool.tells(fired.run)
    end
  end
end

--- Returns why the output that a wait was about may not have come, after a newline, or ''. A wait
--- about something else counts while its run has printed nothing.
---@param ids string[]
---@param about_output boolean
---@return string
function M.silence(ids, about_output)
  for _, id in ipairs(ids) do
    local handle = run.get(id)
    local info = handle and handle:info()
    if info and (about_output or info.stdout.bytes + info.stderr.bytes == 0) then
      local note = buffering.note(handle)
      if note ~= '' then
        return '\n' .. note
      end
    end
  end
  return ''
end

--- Returns what the run that a failed wait was about printed, after a newline: its first errors and
--- last lines.
---@param answer WaitAnswer
---@return string
function M.why_not(answer)
  local handle = answer.run and run.get(answer.run)
  local info = handle and handle:info()
  return format.below(info and failure.of_end(info, reading.bg) .. format.sandbox_note(handle)
    or answer.tail or '')
end

return M
