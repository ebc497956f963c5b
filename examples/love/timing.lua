-- Times of the newest frames: a ring of milliseconds for each thing that is measured, their
-- percentiles, and the graph. Everything is called on the main thread.
-- luacheck: std luajit, globals love
local ffi = require 'ffi'

ffi.cdef [[
struct timing_spec { long seconds; long nanoseconds; };
int timing_clock(int clock, struct timing_spec *now) __asm__("clock_gettime");
]]

local M = {}

local CLOCK_THREAD_CPUTIME_ID = 3
local KEPT = 600 -- frames: ten seconds
local SHOWN = 240
local FRAME_MS = 1000 / 60
local TOP_MS = 3 * FRAME_MS -- the upper edge of the graph
local ROW = 16

local spec = ffi.new 'struct timing_spec'

--- Returns the processor time that this thread has used, in milliseconds. It does not advance
--- while other programs have the processor.
---@return number
function M.cpu_ms()
  ffi.C.timing_clock(CLOCK_THREAD_CPUTIME_ID, spec)
  return tonumber(spec.seconds) * 1e3 + tonumber(spec.nanoseconds) / 1e6
end

--- Returns the time since some moment in the past, in milliseconds.
---@return number
function M.now_ms()
  return love.timer.getTime() * 1e3
end

--- Makes an empty ring.
---@return { added: integer, [integer]: number }
function M.ring()
  return { added = 0 }
end

--- Adds a time; the oldest one makes room.
---@param ring table
---@param ms number
function M.add(ring, ms)
  ring[ring.added % KEPT + 1] = ms
  ring.added = ring.added + 1
end

--- Forgets all times.
---@param ring table
function M.clear(ring)
  ring.added = 0
end

--- Returns the median, the 99th percentile and the longest of the times that are kept.
---@param ring table
---@return { frames: integer, p50: number, p99: number, max: number }
function M.summary(ring)
  local sorted = {}
  for at = 1, math.min(ring.added, KEPT) do
    sorted[at] = ring[at]
  end
  table.sort(sorted)
  local function at(share)
    return sorted[1 + math.floor(share * (#sorted - 1) + 0.5)] or 0
  end
  return { frames = #sorted, p50 = at(0.5), p99 = at(0.99), max = at(1) }
end

--- Returns a summary as a row of text.
---@param name string
---@param summary table
---@return string
function M.row(name, summary)
  return ('%-10s p50 %5.2f   p99 %6.2f   max %6.2f ms'):format(
    name, summary.p50, summary.p99, summary.max)
end

-- The points of a line through the newest times, from the left edge on.
local function points(ring, x, y, width, height)
  local line = {}
  local count = math.min(ring.added, KEPT, SHOWN)
  for at = 1, count do
    local ms = ring[(ring.added - count + at - 1) % KEPT + 1]
    line[#line + 1] = x + (at - 1) * width / (SHOWN - 1)
    line[#line + 1] = y + height - math.min(ms / TOP_MS, 1) * height
  end
  return line
end

--- Draws the graph in a box, with the limit of a frame, and rows of text below it.
---@param lines { ring: table, color: number[] }[]
---@param rows { text: string, color: number[] }[]
---@param x number
---@param y number
---@param width number
---@param height number of the graph, without the rows
function M.draw(lines, rows, x, y, width, height)
  local graphics = love.graphics
  graphics.setColor(0.02, 0.03, 0.07, 0.8)
  graphics.rectangle('fill', x - 10, y - 10, width + 76, height + 22 + #rows * ROW, 6)
  local limit = y + height - FRAME_MS / TOP_MS * height
  graphics.setColor(1, 1, 1, 0.35)
  graphics.line(x, limit, x + width, limit)
  graphics.line(x, y + height, x + width, y + height)
  graphics.setColor(1, 1, 1, 0.6)
  graphics.print('16.7 ms', x + width + 5, limit - 9)
  graphics.setLineStyle 'rough'
  graphics.setLineJoin 'none' -- a mitre would reach out of the box
  for _, each in ipairs(lines) do
    local line = points(each.ring, x, y, width, height)
    if #line >= 4 then
      graphics.setColor(each.color)
      graphics.line(line)
    end
  end
  for at, row in ipairs(rows) do
    graphics.setColor(row.color)
    graphics.print(row.text, x, y + height + 6 + (at - 1) * ROW)
  end
end

return M
