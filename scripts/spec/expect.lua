-- expect(VALUE):to_...: assertions whose message says what was expected and what came. A failure
-- names the line of the spec.
local M = {}

local MAX_SHOWN = 2000
local INDENT = '    '

local function quote(text)
  if text:find('\n') then
    return '\n' .. INDENT .. text:gsub('\n', '\n' .. INDENT)
  end
  return "'" .. text .. "'"
end

local function plain(value)
  if type(value) ~= 'table' then
    return tostring(value)
  end
  local good, text = pcall(json.encode, value)
  return good and text or tostring(value)
end

---Returns the value as a message shows it.
---@param value any
---@return string
function M.show(value)
  local text = type(value) == 'string' and quote(value) or plain(value)
  if #text > MAX_SHOWN then
    text = text:sub(1, MAX_SHOWN) .. ('... (%d bytes in all)'):format(#text)
  end
  return text
end

local function equal(left, right)
  if type(left) ~= 'table' or type(right) ~= 'table' then
    return left == right
  end
  for key, value in pairs(left) do
    if not equal(value, right[key]) then
      return false
    end
  end
  for key in pairs(right) do
    if left[key] == nil then
      return false
    end
  end
  return true
end

local function contains(value, part)
  if type(value) == 'string' then
    return value:find(part, 1, true) ~= nil
  end
  for _, each in pairs(value) do
    if equal(each, part) then
      return true
    end
  end
  return false
end

-- Each returns whether it holds, and the end of the sentence "expected VALUE to ...".
local CHECKS = {
  to_equal = function(value, wanted) return equal(value, wanted), 'equal ' .. M.show(wanted) end,
  to_contain = function(value, part) return contains(value, part), 'contain ' .. M.show(part) end,
  to_match = function(value, pattern)
    return value:find(pattern) ~= nil, 'match the pattern ' .. M.show(pattern)
  end,
  to_be_nil = function(value) return value == nil, 'be nil' end,
  to_be_truthy = function(value) return not not value, 'be neither nil nor false' end,
  to_be_at_most = function(value, most) return value <= most, 'be at most ' .. M.show(most) end,
  to_be_at_least = function(value, least)
    return value >= least, 'be at least ' .. M.show(least)
  end,
  to_succeed = function(answer) return answer.ok == true, 'succeed' end,
  to_fail = function(answer, code)
    local how = code and 'fail with ' .. code or 'fail'
    return answer.ok == false and (code == nil or answer.code == code), how
  end,
  to_raise = function(fn, part)
    local good, err = pcall(fn)
    local raised = not good and (part == nil or contains(tostring(err), part))
    local came = good and '; it raised nothing' or '; it raised ' .. M.show(tostring(err))
    return raised, 'raise' .. (part and ' ' .. M.show(part) or ' an error') .. came
  end,
}

local NEEDS = {
  to_contain = { string = true, table = true }, to_match = { string = true },
  to_be_at_most = { number = true }, to_be_at_least = { number = true },
  to_succeed = { table = true }, to_fail = { table = true }, to_raise = { ['function'] = true },
}

-- What an answer said is in the report already.
local function subject(name, value)
  if name ~= 'to_succeed' and name ~= 'to_fail' then
    return M.show(value)
  end
  local kind = value.ok and 'a result' or 'the error ' .. M.show(value.code)
  return 'the answer, ' .. kind .. ','
end

local function check(name, negated, value, argument)
  local needs = NEEDS[name]
  if needs and not needs[type(value)] then
    error(name .. ' cannot be asked of ' .. M.show(value), 3)
  end
  local holds, what = CHECKS[name](value, argument)
  if holds == negated then
    error('expected ' .. subject(name, value) .. (negated and ' not to ' or ' to ') .. what, 3)
  end
end

local function methods(value, negated)
  local made = {}
  for name in pairs(CHECKS) do
    made[name] = function(_, argument)
      check(name, negated, value, argument)
    end
  end
  return made
end

---@param value any
---@return Expectation
function M.expect(value)
  local made = methods(value, false)
  made.never = methods(value, true)
  return made
end

return M
