-- UTF-8: what JSON may hold.
local M = {}

local REPLACEMENT = '\239\191\189' -- U+FFFD
-- The characters of more than one byte (the Unicode standard, table 3-7).
local CHARACTERS = {
  '^[\194-\223][\128-\191]$',
  '^\224[\160-\191][\128-\191]$',
  '^[\225-\236\238\239][\128-\191][\128-\191]$',
  '^\237[\128-\159][\128-\191]$',
  '^\240[\144-\191][\128-\191][\128-\191]$',
  '^[\241-\243][\128-\191][\128-\191][\128-\191]$',
  '^\244[\128-\143][\128-\191][\128-\191]$',
}

local function is_character(bytes)
  for _, pattern in ipairs(CHARACTERS) do
    if bytes:find(pattern) then
      return true
    end
  end
  return false
end

-- A byte that begins something, with those that go on.
local PIECE = '[\128-\255][\128-\191]*'

---@param text string
---@return boolean
function M.is_valid(text)
  for piece in text:gmatch(PIECE) do
    if not is_character(piece) then
      return false
    end
  end
  return true
end

--- Returns the text with U+FFFD for what is not UTF-8.
---@param text string
---@return string
function M.clean(text)
  return (text:gsub(PIECE, function(piece)
    return is_character(piece) and piece or REPLACEMENT
  end))
end

return M
