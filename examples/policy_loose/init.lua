-- A more permissive policy than the shipped one, for a machine that belongs to the agent: it may
-- push to origin, install system packages and run containers without a question. Destructive
-- commands stay denied. Start: gibbous mcp --policies examples/policy_loose
local override = require 'override'
local policy = require 'policy'
local knowledge = require 'knowledge'
local modes = require 'modes'

local rules = override.remove(require 'rules', 'git.push packages.system privileges.other_user '
  .. 'containers.engine')

-- A program of the team's: the policy learns which files it reads and writes.
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
