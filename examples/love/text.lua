-- Turns what a program printed into text that LÖVE can draw: without escape sequences and control
-- characters, as valid UTF-8 (love.graphics.print raises on any other).
local utf8 = require 'utf8'

local M = {}

local TAB = '    '
local REPLACEMENT = '\239\191\189' -- U+FFFD

-- What utf8.len accepts and LÖVE does not: surrogates, U+FFFE and U+FFFF.
local REFUSED = { '\237[\160-\191][\128-\191]', '\239\191[\190\191]' }

-- Returns the text with U+FFFD instead of what is not valid UTF-8.
local function valid(text)
  for _, pattern in ipairs(REFUSED) do
    text = text:gsub(pattern, REPLACEMENT)
  end
  local parts = {}
  while true do
    local _, wrong = utf8.len(text)
    if not wrong then
      parts[#parts + 1] = text
      return table.concat(parts)
    end
    parts[#parts + 1] = text:sub(1, wrong - 1)
    parts[#parts + 1] = REPLACEMENT
    text = text:sub(wrong + 1)
  end
end

--- Returns a line as a terminal would show it in the end: after a carriage return, the rest is
--- written over what stands before it.
---@param line string without its newline; any bytes
---@return string
function M.shown(line)
  if line:find '[%c\128-\255]' then
    line = line:gsub('\r+$', ''):gsub('^.*\r', '')
    line = line:gsub('\27%[[%d;:?<=>]*[ -/]*[@-~]', '') -- colours, cursor movements
    line = line:gsub('\27%][^\7\27]*\27?[\7\\]', '') -- titles, links
    line = line:gsub('\27.?', ''):gsub('\t', TAB):gsub('%c', '')
    line = valid(line)
  end
  return line
end

--- Returns a text of several lines, each as `shown` returns it.
---@param lines string
---@return string
function M.shown_lines(lines)
  return (lines:gsub('[^\n]+', M.shown))
end

--- Returns a number of bytes for people.
---@param bytes integer
---@return string
---
--- Example: `text.size(3 * 1024 * 1024)` returns '3.0 MiB'.
function M.size(bytes)
  if bytes < 1024 then
    return ('%d B'):format(bytes)
  elseif bytes < 1024 * 1024 then
    return ('%.1f KiB'):format(bytes / 1024)
  end
  return ('%.1f MiB'):format(bytes / (1024 * 1024))
end

return M
