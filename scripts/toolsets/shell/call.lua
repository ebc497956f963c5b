-- What the actions of `shell` share: arguments, and errors of the core.
local M = {}

--- Returns a value of the core, or ends the call with its error.
---
--- Example: `local handle = call.check(run.get(id))`
---@generic T
---@param value T?
---@param err? Err
---@return T
function M.check(value, err)
  if value == nil then
    tool.error(err.code, err.message)
  end
  return value
end

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

return M
