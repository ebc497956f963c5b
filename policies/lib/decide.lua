-- The old name of `policy`, for policies that were written before it was renamed.
---@deprecated use policy: `by` is `decider`
local policy = require 'lib.policy'

if log then
  log.warn("module 'decide' is deprecated: use 'policy', where `by` is `decider`")
end

return { by = policy.decider }
