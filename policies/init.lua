-- The default policy: what an agent may do without asking, with asking, and not at all. Loaded with
-- every generation; the newest one is asked about every effect. Pure: same effect, same verdict.
local limits = require 'limits'
local machine = require 'rules.machine'
local matrix = require 'matrix'
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

--- Decides about one effect: a tool call, or something that a running call is about to do.
---@param effect Effect
---@return Verdict
local function decide(effect)
  local refusal = machine.judge(effect)
  if refusal then
    return refusal
  end
  local verdict = matrix.judge(MODES, effect)
  if effect.kind ~= 'call' and verdict.decision == 'ask' then
    -- The call itself was asked about; what it does within its tool needs no second question.
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

return { modes = MODES, decide = decide }
