-- Tools with actions have arguments that only some of these need.

--- Returns an argument, or ends the call when it is missing or empty.
---
--- Example: `local command = required(args, 'command', 'spawn')`
---@param args table
---@param name string
---@param what string the action that needs it, as the message names it
---@return string
return function(args, name, what)
  local value = args[name]
  if value == nil or value == '' then
    tool.error('invalid_arguments', ('args.%s: is required for %s'):format(name, what))
  end
  return value
end
