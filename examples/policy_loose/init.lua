-- A looser policy than the one that ships, for a machine that belongs to the agent: it may push to
-- origin, install packages of the system, and run containers, without asking. What destroys is
-- denied as ever. Start: gibbous mcp --policies examples/policy_loose
local override = require 'override'
local policy = require 'policy'
local knowledge = require 'knowledge'
local modes = require 'modes'

local rules = override.remove(require 'rules', 'git.push packages.system privileges.other_user '
  .. 'containers.change containers.compose')

-- A program of the team's, so that what it writes is known.
knowledge.programs.deploy_preview = {
  values = '--branch --log',
  writes = '--log',
  reads = 'operands',
}

return {
  modes = modes,
  decide = policy.decider(modes),
  rules = override.with(rules, require 'loose_rules'),
  knowledge = knowledge,
  cases = require 'loose_cases',
}
