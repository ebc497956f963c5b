-- What a policy decides once its rules have spoken of the commands: what the mode says, whether a
-- person approved it already, and, for a start, which limits and which sandbox the run gets. Used
-- by init.lua, and by a team's own.
local executors = require 'executors'
local limits = require 'limits'
local matrix = require 'matrix'
local sandbox = require 'sandbox'

local M = {}

--- Checks the modes, and gives the `decide` function of a policy that has them.
---
--- Example: `return { modes = modes, decide = policy.decider(modes), rules = rules,
--- knowledge = knowledge }`
---@param modes table<string, Mode>
---@return fun(effect: Effect): Verdict
function M.decider(modes)
  for name, mode in pairs(modes) do
    matrix.check(name, mode)
    sandbox.check(mode.sandbox or {}, 'mode ' .. name)
  end
  return function(effect)
    local verdict = matrix.judge(modes, effect)
    if verdict.decision == 'ask' and effect.approved then
      verdict.decision = 'allow' -- the call that does this was asked about, with its command
    end
    local mode = modes[effect.mode]
    verdict = executors.judge(mode, effect, verdict)
    -- What a person approves is held by the same limits and the same sandbox.
    if effect.kind == 'start' and verdict.decision ~= 'deny' and mode then
      verdict.limits = limits.strictest(effect.limits, mode.limits)
      verdict.sandbox = sandbox.strictest {
        mode.sandbox or {}, (effect.configured or {}).sandbox or {}, effect.sandbox or {},
      }
    end
    return verdict
  end
end

return M
