-- Makes lines for a buffer of what a program wrote for a terminal: without colours and other escape
-- sequences, and with a line that was overwritten after a carriage return as it was left. It knows
-- nothing of the editor.
local M = {}

local MAX_LINE_BYTES = 16 * 1024 -- a longer line is broken

local ERASE = '\0'
local CHARACTER = '[%z\1-\127\192-\255][\128-\191]*'

-- Returns the text without escape sequences, but with ERASE for those that erase the line's rest.
local function without_escapes(raw)
  if not raw:find('[%z\27\7]') then
    return raw
  end
  local text = raw:gsub('%z', ''):gsub('\7', '\27\\')
  text = text:gsub('\27[%]P_^X].-\27\\', '') -- titles, links and other strings
  text = text:gsub('\27%[0?K', ERASE):gsub('\27%[2K', '\r' .. ERASE):gsub('\27%[1?G', '\r')
  text = text:gsub('\27%[[0-?]*[ -/]*[@-~]', ''):gsub('\27[ -/]*[0-OQ-WYZ\\`-~]', '')
  return (text:gsub('\27[^\27]*$', '')) -- a sequence that is not complete yet
end

-- Carries out carriage returns, backspaces and erasing.
local function overwritten(text)
  local cells, column = {}, 0
  for character in text:gmatch(CHARACTER) do
    if character == '\r' then
      column = 0
    elseif character == '\b' then
      column = math.max(column - 1, 0)
    elseif character == ERASE then
      for index = #cells, column + 1, -1 do
        cells[index] = nil
      end
    else
      column = column + 1
      cells[column] = character
    end
  end
  return table.concat(cells)
end

local function rendered(raw)
  local text = without_escapes(raw):gsub('\r+$', '')
  return text:find('[\r\b%z]') and overwritten(text) or text
end

---What a stream has written after its last whole line.
---@class gibbous_nvim.LineText
---@field raw string

--- Returns the state of a stream that has written nothing.
---@return gibbous_nvim.LineText
function M.new()
  return { raw = '' }
end

-- Keeps a line that is drawn again and again, such as a progress bar, from growing.
local function compact(state)
  local before, last = state.raw:match '^(.*)(\r[^\r]+)$'
  if before then
    state.raw = rendered(before) .. last
  end
end

--- Takes bytes, and returns the lines that they complete.
---@param state gibbous_nvim.LineText
---@param bytes string
---@return string[]
function M.feed(state, bytes)
  local lines, raw, begin = {}, state.raw .. bytes, 1
  local stop = raw:find('\n', begin, true)
  while stop do
    lines[#lines + 1] = rendered(raw:sub(begin, stop - 1))
    begin = stop + 1
    stop = raw:find('\n', begin, true)
  end
  state.raw = raw:sub(begin)
  if #state.raw > MAX_LINE_BYTES then
    compact(state)
  end
  while #state.raw > MAX_LINE_BYTES do
    lines[#lines + 1] = rendered(state.raw:sub(1, MAX_LINE_BYTES))
    state.raw = state.raw:sub(MAX_LINE_BYTES + 1)
  end
  return lines
end

--- Returns the unfinished last line; nil when there is none.
---@param state gibbous_nvim.LineText
---@return string?
function M.rest(state)
  return state.raw ~= '' and rendered(state.raw) or nil
end

return M
