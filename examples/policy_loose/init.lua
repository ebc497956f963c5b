-- A looser policy than the one that ships, for a machine that belongs to the agent: it may push to
-- origin, install packages of the system, and run containers, without asking. What destroys is
-- denied as ever. Start: gibbous mcp --policies examples/policy_loose
local cases = require 'loose_cases'
local change = require 'change'
local knowledge = require 'knowledge'
local limits = require 'limits'
local matrix = require 'matrix'
local own_rules = require 'loose_rules'
local rules = require 'rules'
local sandbox = require 'sandbox'

local MODES = {
  default = require 'modes.default',
  auto = require 'modes.auto',
  plan = require 'modes.plan',
  dangerous = require 'modes.dangerous',
  ci = require 'modes.ci',
}

for name, mode in pairs(MODES) do
  matrix.check(name, mode)
end

rules = change.without(rules, 'git.push packages.system privileges.other_user containers.change '
  .. 'containers.compose')
rules = change.with(rules, own_rules)

-- A program of the team's, so that what it writes is known.
knowledge.programs.deploy_preview = {
  values = '--branch --log',
  writes = '--log',
  reads = 'operands',
}

---@param effect Effect
---@return Verdict
local function decide(effect)
  local verdict = matrix.judge(MODES, effect)
  if verdict.decision == 'ask' and effect.approved then
    verdict.decision = 'allow'
  end
  if effect.kind == 'start' and verdict.decision == 'allow' then
    verdict.limits = limits.strictest(effect.limits, MODES[effect.mode].limits)
    verdict.sandbox = sandbox.strictest {
      MODES[effect.mode].sandbox or {}, (effect.configured or {}).sandbox or {},
      effect.sandbox or {},
    }
  end
  return verdict
end

return { modes = MODES, decide = decide, rules = rules, knowledge = knowledge, cases = cases }
