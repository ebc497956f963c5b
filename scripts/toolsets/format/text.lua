-- Texts of answers, whatever they are about.
local M = {}

--- Returns milliseconds as seconds with one decimal.
---@param ms number
---@return string
function M.seconds(ms)
  return ('%.1fs'):format(ms / 1000)
end

--- Returns the first bytes of a text without splitting a character.
---@param text string
---@param bytes integer
---@return string
function M.head(text, bytes)
  if #text <= bytes then
    return text
  end
  while bytes > 0 and text:find('^[\128-\191]', bytes + 1) do
    bytes = bytes - 1
  end
  return text:sub(1, math.max(0, bytes))
end

--- Returns the last bytes of a text without splitting a character.
---@param text string
---@param bytes integer
---@return string
function M.tail(text, bytes)
  local from = math.max(1, #text - bytes + 1)
  while text:find('^[\128-\191]', from) do
    from = from + 1
  end
  return text:sub(from)
end

--- Returns a line of at most so many bytes: around what matters, or its beginning.
---
--- Example: `local line = text.cut(fired.line, 300, fired.column)`
---@param line string
---@param bytes integer
---@param column? integer of what matters, from 1
---@return string
function M.cut(line, bytes, column)
  if #line <= bytes then
    return line
  elseif not column or column < bytes / 2 then
    return M.head(line, bytes) .. '…'
  end
  local rest = M.tail(line, math.min(#line - column + math.floor(bytes / 2), #line))
  return '…' .. M.head(rest, bytes) .. (#rest > bytes and '…' or '')
end

--- Returns "1 line", "2 lines".
---@param number integer
---@param what string
---@return string
function M.count(number, what)
  return ('%d %s%s'):format(number, what, number == 1 and '' or 's')
end

local ESCAPES = { ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

--- Returns text as one line, with control characters escaped.
---@param text string
---@return string
function M.one_line(text)
  return (text:gsub('%c', function(c) return ESCAPES[c] or ('\\x%02x'):format(c:byte()) end))
end

--- Returns text that ends with a newline, unless it is empty.
---@param text string
---@return string
function M.ended(text)
  return (text == '' or text:sub(-1) == '\n') and text or text .. '\n'
end

--- Returns text to put below a line: after a newline, and without one at its end. An empty text
--- stays empty.
---@param text string
---@return string
function M.below(text)
  return text ~= '' and '\n' .. text:gsub('\n$', '') or ''
end

--- Returns the last lines of a text.
---@param text string
---@param count integer
---@return string
function M.last_lines(text, count)
  local at = #text
  if text:sub(-1) == '\n' then
    at = at - 1
  end
  while at > 0 do
    if text:byte(at) == 10 then
      count = count - 1
      if count <= 0 then
        return text:sub(at + 1)
      end
    end
    at = at - 1
  end
  return count > 0 and text or ''
end

return M
