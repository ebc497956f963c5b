-- The console that drops down: its lines, what is being typed, and how both are drawn. It hands
-- each typed line to `on_enter`.
-- luacheck: std luajit, globals love
local utf8 = require 'utf8'

local Console = {}
Console.__index = Console

local KEPT = 1000 -- lines
local MOST_TYPED = 1000 -- bytes
local ROW = 17 -- pixels
local MARGIN = 14 -- pixels
local DROP_SPEED = 6 -- console heights a second
local BLINK_S = 0.5
local PROMPT = '> '
local COLORS = {
  typed = { 1, 1, 1 }, result = { 0.72, 0.85, 1 }, error = { 1, 0.5, 0.45 },
  event = { 0.6, 0.62, 0.75 }, ask = { 1, 0.82, 0.4 }, stdout = { 0.82, 0.88, 0.82 },
  stderr = { 1, 0.72, 0.55 },
}

--- Makes an open console without lines.
---@param on_enter fun(line: string) gets each line that is typed
---@return table console
function Console.new(on_enter)
  return setmetatable({
    lines = {}, first = 1, last = 0, typed = '', history = {}, recalled = 0, scrolled = 0,
    is_open = true, drop = 1, on_enter = on_enter,
  }, Console)
end

--- Adds a line; the oldest one of a thousand makes room.
---@param kind string one of COLORS
---@param text string valid UTF-8 (text.shown)
---@return table line its text may change later
function Console:add(kind, text)
  local line = { kind = kind, text = text }
  self.last = self.last + 1
  self.lines[self.last] = line
  if self.last - self.first == KEPT then
    self.lines[self.first] = nil
    self.first = self.first + 1
  end
  return line
end

--- Adds a text of several lines.
---@param kind string
---@param text string
function Console:add_lines(kind, text)
  for line in (text:gsub('\n+$', '') .. '\n'):gmatch '([^\n]*)\n' do
    self:add(kind, line)
  end
end

--- Forgets all lines.
function Console:clear()
  self.lines, self.first, self.last, self.scrolled = {}, 1, 0, 0
end

--- Takes typed text. A closed console ignores it.
---@param text string
function Console:type(text)
  if self.is_open and #self.typed + #text <= MOST_TYPED then
    self.typed = self.typed .. text
  end
end

-- Shows a line of the history instead of what is being typed; 0 is an empty one.
local function recall(console, by)
  console.recalled = math.max(0, math.min(#console.history, console.recalled + by))
  console.typed = console.history[#console.history + 1 - console.recalled] or ''
end

local function enter(console)
  local line = console.typed
  console.typed, console.recalled, console.scrolled = '', 0, 0
  if line:find '%S' then
    console.history[#console.history + 1] = line
    console:add('typed', PROMPT .. line)
    console.on_enter(line)
  end
end

local KEYS = {
  ['return'] = enter,
  kpenter = enter,
  backspace = function(console)
    local at = utf8.offset(console.typed, -1)
    console.typed = at and console.typed:sub(1, at - 1) or ''
  end,
  up = function(console) recall(console, 1) end,
  down = function(console) recall(console, -1) end,
  pageup = function(console) console.scrolled = console.scrolled + 10 end,
  pagedown = function(console) console.scrolled = console.scrolled - 10 end,
}

--- Takes a key. F1 opens and closes the console.
---@param key string as LÖVE names it
function Console:key(key)
  if key == 'f1' then
    self.is_open = not self.is_open
  elseif self.is_open and KEYS[key] then
    KEYS[key](self)
    self.scrolled = math.max(0, math.min(self.last - self.first, self.scrolled))
  end
end

--- Drops down, or goes up.
---@param seconds number since the last frame
function Console:update(seconds)
  local by = DROP_SPEED * seconds
  self.drop = self.is_open and math.min(1, self.drop + by) or math.max(0, self.drop - by)
end

-- Returns the rows that a line takes. They are worked out when they are first seen.
local function rows_of(line, font, width)
  if line.wrapped_text ~= line.text then
    local _, rows = font:getWrap(line.text, width)
    line.rows, line.wrapped_text = rows, line.text
  end
  return line.rows
end

--- Draws the console.
---@param width integer of the window
---@param height integer of the open console
function Console:draw(width, height)
  if self.drop == 0 then
    return
  end
  local graphics = love.graphics
  local font = graphics.getFont()
  local top = -height * (1 - self.drop)
  graphics.setColor(0.02, 0.03, 0.07, 0.86)
  graphics.rectangle('fill', 0, top, width, height)
  graphics.setColor(1, 0.78, 0.35, 0.8)
  graphics.rectangle('fill', 0, top + height, width, 2)
  local y = top + height - MARGIN - ROW
  graphics.setColor(COLORS.typed)
  local cursor = love.timer.getTime() % (2 * BLINK_S) < BLINK_S and '_' or ''
  graphics.print(PROMPT .. self.typed .. cursor, MARGIN, y)
  y = y - 4
  for at = self.last - self.scrolled, self.first, -1 do
    local line = self.lines[at]
    local rows = rows_of(line, font, width - 2 * MARGIN)
    graphics.setColor(COLORS[line.kind])
    for row = #rows, 1, -1 do
      y = y - ROW
      if y < top + 4 then
        return
      end
      graphics.print(rows[row], MARGIN, y)
    end
  end
end

return Console
