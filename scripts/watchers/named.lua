-- The presets as watchers that run.start and run.queue take, by their names.
local presets = require 'watchers.presets'

local M = {}

--- What there is, in alphabetical order.
---@type string[]
M.names = {}
for name in pairs(presets) do
  M.names[#M.names + 1] = name
end
table.sort(M.names)

--- Gives the watchers of a preset; nil when there is no such one.
---
--- Example: `run.start { command = 'npm run dev', watch = named.watchers('ready') }`
---@param name string
---@return Watcher[]?
function M.watchers(name)
  if not presets[name] then
    return nil
  end
  local watchers = {}
  for index, entry in ipairs(presets[name]) do
    watchers[index] = {
      regex = entry.regex, event = entry.event, scope = entry.scope,
      context_after = entry.context_after,
    }
  end
  return watchers
end

return M
