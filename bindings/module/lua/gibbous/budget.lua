-- What one turn of a runtime may take.
local failure = require 'gibbous.failure'

local M = {}

local MEMBERS = {
  bytes = 'number?', lua_us = 'number?', wall_us = 'number?', messages = 'number?',
}

---@class gibbous.Budget
---@field bytes? number child output to take in; default: no limit
---@field lua_us? number time inside scripts, in microseconds; default: no limit
---@field wall_us? number start no new work after this long, in microseconds; default: no limit
---@field messages? number to pass on; default: 1000

--- Raises an error for a budget that is wrong.
---@param budget gibbous.Budget
---@param name string
---@param level integer as for error()
function M.check(budget, name, level)
  failure.check_members(budget, name, MEMBERS, level + 1)
  for member, value in pairs(budget) do
    if value < 0 or value >= 2 ^ 53 or value ~= value then
      error(('%s.%s: expected 0 or more'):format(name, member), level + 1)
    end
  end
end

return M
