-- The default policy: what an agent may do unasked, what a person must approve, and what is denied.
-- Every generation loads it; the newest one judges every effect. Pure: the same effect always gets
-- the same verdict.
local modes = require 'modes'
local policy = require 'policy'
local views = require 'views'

return {
  modes = modes,
  decide = policy.decider(modes),
  views = views.of,
  -- Functions, because they are read only when a command is judged or the policy is tested.
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
