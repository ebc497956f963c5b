-- Functions of the core give a value, or nil and an error.

--- Returns the value, or ends the call with the error.
---
--- Example: `local handle = checked(run.get(args.id))`
---@generic T
---@param value T?
---@param err? Err
---@return T
return function(value, err)
  if value == nil then
    tool.error(err.code, err.message)
  end
  return value
end
