-- What the actions of `shell` share: their arguments.
local any_run = require 'toolsets.any_run'

local M = {}

--- Returns an argument that the action needs.
---
--- Example: `local id = call.required(args, 'run_id', 'poll')`
---@param args table
---@param name string
---@param action string
---@return string
function M.required(args, name, action)
  local value = args[name]
  if value == nil or value == '' then
    tool.error('invalid_arguments', ('args.%s: is required for %s'):format(name, action))
  end
  return value
end

--- Returns the id of the run that the argument run_id names by its id or its label. Ends the call
--- with run_not_found when there is none.
---
--- Example: `local id = call.run_id(args, 'poll')`
---@param args table
---@param action string
---@return string
function M.run_id(args, action)
  local handle, record = any_run.find(M.required(args, 'run_id', action))
  return handle and handle.id or record.id
end

return M
