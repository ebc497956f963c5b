-- LÖVE's main loop, at 60 frames a second: events, love.update, love.draw. It measures the work of
-- each frame, and sleeps for the rest of the 16.7 ms.
-- luacheck: std luajit, globals love
local timing = require 'timing'

local FRAME_S = 1 / 60

-- Hands the events of the window to their handlers. Returns the exit code when the game ends.
local function handle_events()
  love.event.pump()
  for name, a, b, c, d, e, f in love.event.poll() do
    if name == 'quit' then
      if not love.quit() then
        return a or 0
      end
    else
      love.handlers[name](a, b, c, d, e, f)
    end
  end
end

local function draw()
  if love.graphics.isActive() then
    love.graphics.origin()
    love.graphics.clear()
    love.draw()
    love.graphics.present()
  end
end

--- Returns what love.run has to be.
---@param frames table ring (timing.lua) that gets the milliseconds of work of each frame
---@return fun(): fun(): integer?
return function(frames)
  return function()
    love.load(love.arg.parseGameArguments(arg))
    love.timer.step()
    local due = love.timer.getTime()
    return function()
      local began = timing.now_ms()
      local code = handle_events()
      if code then
        return code
      end
      love.update(love.timer.step())
      draw()
      timing.add(frames, timing.now_ms() - began)
      due = math.max(due + FRAME_S, love.timer.getTime())
      love.timer.sleep(due - love.timer.getTime())
    end
  end
end
