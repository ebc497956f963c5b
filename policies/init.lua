-- The default policy: what an agent may do without asking, with asking, and not at all. Loaded with
-- every generation; the newest one is asked about every effect. Pure: same effect, same verdict.
local cases = require 'cases'
local knowledge = require 'knowledge'
local limits = require 'limits'
local matrix = require 'matrix'
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
  sandbox.check(mode.sandbox or {}, 'mode ' .. name)
end

--- Decides about one effect: a tool call, or something that a running call is about to do. What the
--- rules say about its commands comes with it.
---@param effect Effect
---@return Verdict
local function decide(effect)
  local verdict = matrix.judge(MODES, effect)
  if verdict.decision == 'ask' and effect.approved then
    verdict.decision = 'allow' -- the call that does this was asked about, with its command
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
