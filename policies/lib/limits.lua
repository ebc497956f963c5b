-- Combines the limits that a start asks for with those that the mode sets. Used by policy.lua.
local M = {}

--- Returns the stricter of two sets, limit by limit. A limit that is missing does not restrict.
---
--- Example: `limits.strictest({ pids = 10 }, { pids = 50, memory_bytes = 1e9 }).pids` is 10
---@param first table<string, number>?
---@param second table<string, number>?
---@return table<string, number>
function M.strictest(first, second)
  local both = {}
  for name, value in pairs(first or {}) do
    both[name] = value
  end
  for name, value in pairs(second or {}) do
    both[name] = math.min(value, both[name] or value)
  end
  return both
end

return M
