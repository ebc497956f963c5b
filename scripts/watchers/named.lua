-- Looks up presets by name, as watchers for run.start and run.queue.
local presets = require 'watchers.presets'

local M = {}

--- The names of all presets, in alphabetical order.
---@type string[]
M.names = {}
for name in pairs(presets) do
  M.names[#M.names + 1] = name
end
table.sort(M.names)

--- Returns the watchers of a preset; nil if there is none of this name.
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
