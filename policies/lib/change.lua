-- The old name of `override`, for policies that were written before it was renamed.
---@deprecated use override: `without` is `remove`, `decided` is `set_decision`
local override = require 'lib.override'

if log then
  log.warn("module 'change' is deprecated: use 'override', where `without` is `remove` and "
    .. '`decided` is `set_decision`')
end

return {
  without = override.remove, decided = override.set_decision, mode = override.mode,
  with = override.with,
}
