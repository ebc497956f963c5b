-- The name that `policy` had before version 0.2; it goes with the next minor release.
local policy = require 'policy'

log.warn "require 'decide' is deprecated: write require 'policy' and policy.decider (was decide.by)"

---@deprecated use `policy`
return { by = policy.decider }
