-- The default policy: what an agent may do without asking, with asking, and not at all. Loaded with
-- every generation; the newest one is asked about every effect. Pure: same effect, same verdict.
local policy = require 'policy'
local modes = require 'modes'

return {
  modes = modes,
  decide = policy.decider(modes),
  -- Functions: read when a command is judged, when the policy is tested.
  rules = function()
    return require 'rules'
  end,
  knowledge = function()
    return require 'knowledge'
  end,
  cases = function()
    return require 'cases'
  end,
}
