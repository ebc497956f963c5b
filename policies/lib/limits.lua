-- How the limits of a run come about: what was asked for, and what the mode allows at most. Used by
-- policies/init.lua, and by a team's own.
local M = {}

--- Gives, limit by limit, the stricter of two sets. A limit that is not named does not limit.
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
