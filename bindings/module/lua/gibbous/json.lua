-- JSON in and out. What is there reads texts: vim.json, cjson or dkjson. This file writes them,
-- because those three write an empty table in three ways.
-- luacheck: std luajit
local utf8 = require 'gibbous.utf8'

local M = {}

local MAX_LEVELS = 64

local list_of_json = { __jsontype = 'array' }

--- Marks a table as a list, which an empty one would not be: `gibbous.list {}` is `[]`, `{}` is
--- an object.
---@generic T
---@param items T[]
---@return T[]
function M.list(items)
  return setmetatable(items, list_of_json)
end

-- Returns the function that decodes, and its null.
local function find_decoder()
  local vim = rawget(_G, 'vim')
  if vim and vim.json then
    return vim.json.decode, vim.NIL
  end
  local has_cjson, cjson = pcall(require, 'cjson')
  if has_cjson then
    return cjson.decode, cjson.null
  end
  local has_dkjson, dkjson = pcall(require, 'dkjson')
  if not has_dkjson then
    error('gibbous needs a JSON library: install lua-cjson or dkjson; Neovim has its own', 0)
  end
  return function(text)
    local value, _, problem = dkjson.decode(text, 1, dkjson.null)
    return problem and error(problem, 0) or value
  end, dkjson.null
end

local decode, null = find_decoder()

--- Stands for null in lists that are decoded, and in what is encoded.
M.null = null

local function without_null(value)
  if type(value) ~= 'table' then
    return
  end
  local is_list = value[1] ~= nil
  for key, each in pairs(value) do
    if each == null and not is_list then
      value[key] = nil
    else
      without_null(each)
    end
  end
end

--- Decodes a text. Members that are null are left out; in a list they are `null`.
---@param text string
---@return any
function M.decode(text)
  local value = decode(text)
  if text:find('null', 1, true) then
    without_null(value)
  end
  return value
end

local ESCAPES = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

local function quoted(text)
  return '"' .. text:gsub('[%z\1-\31"\\]', function(byte)
    return ESCAPES[byte] or ('\\u%04x'):format(byte:byte())
  end) .. '"'
end

local function wrong(place, expected)
  error(('%s: %s'):format(place, expected), 0)
end

local write

local function write_list(items, place, level)
  local parts, count = {}, 0
  for _ in pairs(items) do
    count = count + 1
  end
  for index = 1, count do
    if items[index] == nil then
      wrong(place, 'expected a list without holes or an object, got a mixture')
    end
    parts[index] = write(items[index], ('%s[%d]'):format(place, index), level)
  end
  return '[' .. table.concat(parts, ',') .. ']'
end

local function write_object(members, place, level)
  local names, parts = {}, {}
  for name in pairs(members) do
    if type(name) ~= 'string' then
      wrong(place, 'expected names that are strings, got ' .. type(name))
    end
    names[#names + 1] = name
  end
  table.sort(names)
  for index, name in ipairs(names) do
    parts[index] = quoted(name) .. ':' .. write(members[name], place .. '.' .. name, level)
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

local function write_number(value, place)
  if value ~= value or value == math.huge or value == -math.huge then
    wrong(place, 'expected a finite number')
  end
  local is_whole = value % 1 == 0 and math.abs(value) < 2 ^ 53
  return is_whole and ('%.0f'):format(value) or ('%.17g'):format(value)
end

function write(value, place, level)
  local kind = type(value)
  if value == null or kind == 'nil' then
    return 'null'
  elseif kind == 'string' then
    return utf8.is_valid(value) and quoted(value) or wrong(place, 'expected UTF-8')
  elseif kind == 'number' then
    return write_number(value, place)
  elseif kind == 'boolean' then
    return tostring(value)
  elseif kind ~= 'table' then
    wrong(place, 'expected what JSON can hold, got a ' .. kind)
  elseif level > MAX_LEVELS then
    wrong(place, 'expected at most 64 levels of tables; does one hold itself?')
  end
  local mark = getmetatable(value)
  local is_list = value[1] ~= nil or (type(mark) == 'table' and mark.__jsontype == 'array')
  return (is_list and write_list or write_object)(value, place, level + 1)
end

--- Encodes a value. Raises an error, which names the place, for what JSON cannot hold.
---@param value any
---@param place string what to call the value in an error
---@param level? integer as for error()
---@return string
function M.encode(value, place, level)
  local good, text = pcall(write, value, place, 1)
  if not good then
    error(text, (level or 2) + 1)
  end
  return text
end

return M
