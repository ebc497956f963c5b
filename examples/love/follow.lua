-- Shows the output of runs in the console while it comes. Each frame reads at most BYTES_A_FRAME,
-- and of a flood only some lines are shown, so that the player can still read them; the rest is
-- counted.
-- luacheck: std luajit, globals love
local text = require 'text'

local Follow = {}
Follow.__index = Follow

local BYTES_A_FRAME = 64 * 1024
local LINES_A_SECOND = 8 -- for all runs together
local BURST = 150 -- lines of one run that may come at once
local MOST_LINE = 1024 -- bytes
local STREAMS = { 'stdout', 'stderr' }
local LINGER_S = 6 -- seconds that a run stays in sight after its end
local FADE = 0.9

--- Makes a follower without runs.
---@param runtime table
---@param console table
---@return table follow
function Follow.new(runtime, console)
  return setmetatable({
    runtime = runtime, console = console, runs = {}, turn = 0,
  }, Follow)
end

--- Follows a run from its first byte on.
---@param event table run_started
function Follow:on_started(event)
  local run = {
    id = event.run, label = event.label or event.run, state = event.state, glow = 0, bytes = 0,
    hidden = 0, credit = BURST, streams = {},
  }
  for at, name in ipairs(STREAMS) do
    run.streams[at] = { name = name, cursor = 0, ended = false, rest = '' }
  end
  self.runs[#self.runs + 1] = run
end

--- Notes the end of a run. The console tells of it once the rest of the output was shown.
---@param event table run_ended
function Follow:on_ended(event)
  for _, run in ipairs(self.runs) do
    if run.id == event.run then
      run.state, run.end_event = event.state, event
    end
  end
end

-- Shows a line, or the beginning of one, when the run has credit. A line that was begun is always
-- completed.
local function show(follow, run, stream, raw, is_whole)
  local line = text.shown(raw:sub(1, MOST_LINE))
  if stream.open then
    stream.open.text = run.label .. ' | ' .. line
  elseif run.credit >= 1 then
    run.credit = run.credit - 1
    stream.open = follow.console:add(stream.name, run.label .. ' | ' .. line)
  elseif is_whole then
    run.hidden = run.hidden + #raw + 1
  end
  if is_whole then
    stream.open = nil
  end
end

-- Shows what was read. What remains after the last newline is shown too, and completed later.
local function take(follow, run, stream, bytes)
  local all = stream.rest .. bytes
  local from = 1
  while true do
    local to = all:find('\n', from, true)
    if not to then
      break
    end
    if run.credit < 1 and not stream.open then
      -- Nothing more of this can be shown: go to the last newline without looking at each line.
      local after = all:match('.*\n()', from)
      run.hidden = run.hidden + after - from
      from = after
      break
    end
    show(follow, run, stream, all:sub(from, to - 1), true)
    from = to + 1
  end
  local rest = all:sub(from)
  stream.rest = (rest:match '^.*\r([^\r]+\r*)$' or rest):sub(1, MOST_LINE)
  if stream.rest ~= '' then
    show(follow, run, stream, stream.rest, false)
  end
end

-- Reads what is new of a run, at most `most` bytes. Returns how many bytes it read.
local function read(follow, run, most)
  local before, left = run.bytes, most
  for _, stream in ipairs(run.streams) do
    if not stream.ended and left > 0 then
      local bytes, cursor, ended = follow.runtime:read(run.id, stream.name, stream.cursor, left)
      if not bytes then
        bytes, cursor, ended = '', stream.cursor, true -- the runtime has forgotten the run
      end
      run.bytes = run.bytes + cursor - stream.cursor
      stream.cursor, stream.ended = cursor, ended
      left = left - #bytes
      if #bytes > 0 then
        take(follow, run, stream, bytes)
      end
      if ended and stream.rest ~= '' then
        show(follow, run, stream, stream.rest, true)
        stream.rest = ''
      end
    end
  end
  run.glow = run.bytes > before and 1 or run.glow * FADE
  return most - left
end

local function tell_end(follow, run)
  local event = run.end_event
  local told = ('%s %s: %s after %.1f s, %s printed'):format(run.label, event.state, event.reason,
    event.runtime_ms / 1000, text.size(run.bytes))
  if run.hidden > 0 then
    told = ('%s, %s not shown'):format(told, text.size(run.hidden))
  end
  follow.console:add(event.state == 'completed' and 'event' or 'error', text.shown(told))
  run.told_at = love.timer.getTime()
end

--- Reads and shows what is new. The game calls this once in each frame.
---@param seconds number since the last frame
function Follow:update(seconds)
  local left = BYTES_A_FRAME
  local credit = LINES_A_SECOND * seconds / math.max(1, #self.runs)
  -- Each frame begins with another run, so that none waits behind a flood.
  self.turn = self.turn % math.max(1, #self.runs) + 1
  for at = 0, #self.runs - 1 do
    local run = self.runs[(self.turn + at - 1) % #self.runs + 1]
    run.credit = math.min(BURST, run.credit + credit)
    left = left - read(self, run, math.ceil(left / (#self.runs - at)))
  end
  for at = #self.runs, 1, -1 do
    local run = self.runs[at]
    if run.end_event and not run.told_at and run.streams[1].ended and run.streams[2].ended then
      tell_end(self, run)
    elseif run.told_at and love.timer.getTime() - run.told_at > LINGER_S then
      table.remove(self.runs, at)
    end
  end
end

return Follow
