-- A stricter policy than the shipped one: it asks about every use of the network, and denies
-- pushing, publishing and other users' rights. Start: gibbous mcp --policies
-- examples/policy_strict
local override = require 'override'
local policy = require 'policy'
local shipped = require 'modes'

-- There is no mode `dangerous`, and every run is in the sandbox of unknown commands: it writes only
-- to the workspace and to temporary directories.
local modes = {}
for _, name in ipairs { 'default', 'auto', 'plan', 'ci' } do
  modes[name] = override.mode(shipped[name], { sandbox = { profile = 'confined' } })
end

local rules = override.set_decision(require 'rules', 'deny',
  'git.push git.push_force packages.publish privileges.other_user')

return {
  modes = modes,
  decide = policy.decider(modes),
  rules = override.with(rules, require 'strict_network'),
  knowledge = require 'knowledge',
  cases = require 'strict_cases',
}
