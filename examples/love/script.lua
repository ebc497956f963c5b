-- Plays the game without a player, for tests and for pictures: steps from a file, one a line.
--
--   type TEXT     types the text, and return
--   key NAME      presses a key
--   frames N      lets N frames go by
--   until TEXT    waits until a line since the last `type` has this text
--   measure       forgets the times of all frames so far
--   shot FILE     takes a screenshot (PNG)
--   dump FILE     writes what the game would show a player as JSON
--
-- Empty lines, and lines that begin with #, are skipped. After the last step the game goes on.
-- luacheck: std luajit, globals love
local json = require 'cjson'

local Script = {}
Script.__index = Script

local LIMIT_S = 60 -- the longest that a step waits for a line

local function write(file, bytes)
  local opened = assert(io.open(file, 'wb'))
  opened:write(bytes)
  opened:close()
end

-- Steps by name. Each returns true when the next one may begin, or else is called again in the
-- next frame.
local STEPS = {}

function STEPS.type(script, game, rest)
  script.seen = game.console.last + 1
  game.console:type(rest)
  game.console:key 'return'
  return true
end

function STEPS.key(_, game, rest)
  game.console:key(rest)
  return true
end

function STEPS.frames(script, _, rest)
  script.waited = script.waited + 1
  return script.waited > assert(tonumber(rest), 'frames: expected a number')
end

STEPS['until'] = function(script, game, rest)
  for at = math.max(script.seen, game.console.first), game.console.last do
    if game.console.lines[at].text:find(rest, 1, true) then
      return true
    end
  end
  script.began = script.began or love.timer.getTime()
  if love.timer.getTime() - script.began > LIMIT_S then
    error(('no line with %q came within %d s'):format(rest, LIMIT_S))
  end
  return false
end

function STEPS.measure(_, game)
  game.measure()
  return true
end

function STEPS.shot(script, _, rest)
  if not script.has_asked then
    script.has_asked = true
    love.graphics.captureScreenshot(function(image)
      write(rest, image:encode('png'):getString())
      script.is_taken = true
    end)
  end
  return script.is_taken
end

function STEPS.dump(_, game, rest)
  write(rest, json.encode(game.dump()))
  return true
end

--- Reads a script.
---@param file string
---@return table? script
---@return string? message the step that is wrong, and what was expected
function Script.read(file)
  local steps = {}
  local opened, message = io.open(file)
  if not opened then
    return nil, message
  end
  for line in opened:lines() do
    local name, rest = line:match '^%s*([^%s#]%S*)%s*(.-)%s*$'
    if name and not STEPS[name] then
      opened:close()
      return nil, ('%s:%d: there is no step %s'):format(file, #steps + 1, name)
    end
    steps[#steps + 1] = { name = name, rest = rest }
  end
  opened:close()
  return setmetatable({ steps = steps, at = 1, waited = 0, seen = 1 }, Script)
end

--- Plays what is due. The game calls this once in each frame.
---@param game { console: table, measure: fun(), dump: fun(): table }
function Script:update(game)
  local step = self.steps[self.at]
  while step and (not step.name or STEPS[step.name](self, game, step.rest)) do
    self.at = self.at + 1
    self.waited, self.began, self.has_asked, self.is_taken = 0, nil, nil, nil
    step = self.steps[self.at]
  end
end

return Script
