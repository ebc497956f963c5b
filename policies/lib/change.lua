-- The name that `override` had before version 0.2; it goes with the next minor release.
local override = require 'override'

log.warn("require 'change' is deprecated: write require 'override'; its functions are remove "
  .. '(was without), set_decision (was decided), mode and with')

---@deprecated use `override`
return {
  without = override.remove,
  decided = override.set_decision,
  mode = override.mode,
  with = override.with,
}
