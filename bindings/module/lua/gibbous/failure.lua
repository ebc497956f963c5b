-- Errors that can happen at run time: tables { code, message }, which print as "code: message".
local M = {}

---@class gibbous.Error
---@field code string small letters, digits and _: "denied", "timeout", "closed", "run_not_found"
---@field message string a sentence
---@field text? string what the tool of a failed call said all the same
---@field data? table the same for programs
---@field traceback? string where the script of a failed call was

local printed = { __tostring = function(err) return err.code .. ': ' .. err.message end }

--- Makes a table that has the fields of an error into one.
---@param fields table
---@return gibbous.Error
function M.of(fields)
  return setmetatable(fields, printed)
end

--- Makes an error.
---@param code string
---@param message string
---@return gibbous.Error
function M.new(code, message)
  return M.of { code = code, message = message }
end

--- Raises an error unless `value` has one of the types that `expected` names: "string?".
---@param value any
---@param name string what to call it
---@param expected string
---@param level? integer as for error()
function M.check_type(value, name, expected, level)
  local kind = expected:gsub('%?$', '')
  if type(value) == kind or (value == nil and kind ~= expected) then
    return
  end
  error(('%s: expected a %s, got %s'):format(name, kind, type(value)), (level or 2) + 1)
end

--- Raises an error unless every member of a table of options is known and of its type.
---@param options table
---@param name string
---@param known table<string, string> the types, as for check_type
---@param level? integer
function M.check_members(options, name, known, level)
  level = (level or 2) + 1
  for member in pairs(options) do
    if not known[member] then
      local names = {}
      for each in pairs(known) do
        names[#names + 1] = each
      end
      table.sort(names)
      error(('%s.%s: there is no such member; there are %s')
        :format(name, tostring(member), table.concat(names, ', ')), level)
    end
  end
  for member, kind in pairs(known) do
    M.check_type(options[member], name .. '.' .. member, kind, level)
  end
end

return M
