-- Builds RE2 patterns for code that only computes and prints, from the few words and calls that are
-- allowed in it. The files beside it use it once, when a policy is loaded.
local M = {}

-- In byte order, with | for gaps.
local WORD_BYTES = '0123456789|ABCDEFGHIJKLMNOPQRSTUVWXYZ|_|abcdefghijklmnopqrstuvwxyz'
-- The same as lists, with false for gaps; the second without upper-case letters. They are gone
-- through hundreds of times.
local WORD, LOWER = {}, {}
for at = 1, #WORD_BYTES do
  local byte = WORD_BYTES:sub(at, at)
  WORD[at] = byte ~= '|' and byte
  LOWER[at] = WORD[at] and not byte:find('%u') and byte
end

--- A string literal, in single or double quotes.
M.STRING = [[(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")]]

local NAME = [[(?:\./)?\w[\w@.-]*(?:/\w[\w.-]*)*]]
--- A string literal that names a file below the current directory.
M.FILE = "(?:'" .. NAME .. "'|\"" .. NAME .. '")'

-- Returns a class of word characters without the keys of `excluded`. With any_case it has only
-- lower-case letters, because (?i) adds the others.
local function class_without(excluded, any_case)
  local bytes = any_case and LOWER or WORD
  local kept, from = {}, nil
  for at = 1, #WORD_BYTES + 1 do
    local byte = bytes[at]
    local good = byte and not excluded[byte]
    if good and not from then
      from = at
    elseif not good and from then
      local first, last = bytes[from], bytes[at - 1]
      kept[#kept + 1] = first == last and first or first .. '-' .. last
      from = nil
    end
  end
  return '[' .. table.concat(kept) .. ']'
end

local function sorted_keys(tree)
  local keys = {}
  for byte in pairs(tree) do
    if byte ~= 'ends' then
      keys[#keys + 1] = byte
    end
  end
  table.sort(keys)
  return keys
end

-- Returns a pattern for what may follow the letters that lead to `tree` without completing an
-- excluded word.
local function rest_of(tree, any_case)
  local parts, keys = {}, sorted_keys(tree)
  for _, byte in ipairs(keys) do
    parts[#parts + 1] = byte .. rest_of(tree[byte], any_case)
  end
  parts[#parts + 1] = #keys == 0 and [[\w+]] or class_without(tree, any_case) .. [[\w*]]
  if not tree.ends then
    parts[#parts + 1] = ''
  end
  return '(?:' .. table.concat(parts, '|') .. ')'
end

--- Returns a pattern for every word that begins with a letter, except these. RE2 has no negation.
---
--- Example: `pattern.other_than('eval exec')` matches 'evaluate' and not 'eval'
---@param words string
---@param any_case? boolean for patterns with (?i); `words` are in small letters then
---@return string
function M.other_than(words, any_case)
  local tree = {}
  for word in words:gmatch('%S+') do
    local at = tree
    for byte in word:gmatch('.') do
      at[byte] = at[byte] or {}
      at = at[byte]
    end
    at.ends = true
  end
  local parts, excluded = {}, { _ = true }
  for digit = 0, 9 do
    excluded[tostring(digit)] = true
  end
  for _, byte in ipairs(sorted_keys(tree)) do
    parts[#parts + 1] = byte .. rest_of(tree[byte], any_case)
    excluded[byte] = true
  end
  parts[#parts + 1] = class_without(excluded, any_case) .. [[\w*]]
  return '(?:' .. table.concat(parts, '|') .. ')'
end

--- Returns a pattern for one of these words; dots are literal.
---
--- Example: `pattern.one_of('json.load len')`
---@param words string
---@return string
function M.one_of(words)
  local list = {}
  for word in words:gmatch('%S+') do
    list[#list + 1] = (word:gsub('%.', '\\.'))
  end
  return '(?:' .. table.concat(list, '|') .. ')'
end

--- Returns a pattern for any number of these pieces of code, in any order.
---
--- Example: `pattern.made_of { [[\s]], [[\d+]] }`
---@param pieces string[]
---@return string
function M.made_of(pieces)
  return '(?s)(?:' .. table.concat(pieces, '|') .. ')*'
end

return M
