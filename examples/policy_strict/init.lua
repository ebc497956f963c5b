-- A stricter policy than the one that ships: every use of the network is asked about, nothing is
-- pushed or published, and other rights are denied. Start: gibbous mcp --policies
-- examples/policy_strict
local cases = require 'strict_cases'
local change = require 'change'
local knowledge = require 'knowledge'
local limits = require 'limits'
local matrix = require 'matrix'
local network = require 'strict_network'
local rules = require 'rules'
local sandbox = require 'sandbox'

local MODES = {
  default = require 'modes.default',
  auto = require 'modes.auto',
  plan = require 'modes.plan',
  ci = require 'modes.ci',
}

for name, mode in pairs(MODES) do
  matrix.check(name, mode)
end

rules = change.decided(rules, 'deny', 'git.push git.push_force packages.publish '
  .. 'privileges.other_user')
-- What these say is said by the rules for the network.
rules = change.without(rules, 'building.downloads')
rules = change.with(rules, network)

---@param effect Effect
---@return Verdict
local function decide(effect)
  local verdict = matrix.judge(MODES, effect)
  if verdict.decision == 'ask' and effect.approved then
    verdict.decision = 'allow'
  end
  if effect.kind == 'start' and verdict.decision == 'allow' then
    verdict.limits = limits.strictest(effect.limits, MODES[effect.mode].limits)
    -- Whatever is asked for, a run writes to the workspace and to /tmp only.
    verdict.sandbox = sandbox.strictest {
      { profile = 'workspace' }, (effect.configured or {}).sandbox or {}, effect.sandbox or {},
    }
  end
  return verdict
end

return { modes = MODES, decide = decide, rules = rules, knowledge = knowledge, cases = cases }
