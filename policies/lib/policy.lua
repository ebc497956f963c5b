-- Makes the `decide` function of a policy, which runs after the rules have judged the commands: it
-- applies the mode and earlier approvals and, for a start, chooses the limits and the sandbox. Used
-- by init.lua and by teams' own policies.
local confined = require 'confined'
local executors = require 'executors'
local matrix = require 'matrix'
local sandbox = require 'sandbox'
local secrets = require 'secrets'

local M = {}

-- What a line has that leaves: git obeys no hooks, monitors and repositories below, which may be
-- what runs have written, and no pager takes commands.
local LEAVING = {
  GIT_CONFIG_COUNT = '4',
  GIT_CONFIG_KEY_0 = 'core.hooksPath', GIT_CONFIG_VALUE_0 = '/dev/null',
  GIT_CONFIG_KEY_1 = 'core.fsmonitor', GIT_CONFIG_VALUE_1 = 'false',
  GIT_CONFIG_KEY_2 = 'submodule.recurse', GIT_CONFIG_VALUE_2 = 'false',
  GIT_CONFIG_KEY_3 = 'fetch.recurseSubmodules', GIT_CONFIG_VALUE_3 = 'false',
  PAGER = 'cat', GIT_PAGER = 'cat', GH_PAGER = 'cat', GLAB_PAGER = 'cat', SYSTEMD_PAGER = 'cat',
  AWS_PAGER = '', LESSSECURE = '1', SYSTEMD_PAGERSECURE = '1',
}

-- Returns the stricter of two sets, limit by limit. A limit that is missing does not restrict.
local function strictest_limits(first, second)
  local both = {}
  for name, value in pairs(first or {}) do
    both[name] = value
  end
  for name, value in pairs(second or {}) do
    both[name] = math.min(value, both[name] or value)
  end
  return both
end

--- Checks the modes and returns the `decide` function of a policy that has them.
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
    if verdict.decision == 'ask' and effect.approved and (effect.seen or not verdict.unseen) then
      verdict.decision = 'allow' -- a person approved the call, command included
    end
    local mode = modes[effect.mode]
    verdict = confined.widen(effect, verdict, mode)
    verdict = executors.judge(mode, effect, verdict)
    verdict = secrets.judge(mode, effect, verdict)
    -- What a person approved gets the same limits and the same sandbox.
    if effect.kind == 'start' and verdict.decision ~= 'deny' and mode then
      verdict.limits = strictest_limits(effect.limits, mode.limits)
      local configured = effect.configured or {}
      local grants = verdict.confined and effect.allow and confined.grants(effect.allow)
      verdict.sandbox = sandbox.strictest({
        mode.sandbox or {}, configured.sandbox or {}, configured.queued_sandbox or {},
        effect.sandbox or {}, confined.request(verdict.confined, grants, effect),
      }, grants, effect.places)
      if verdict.signs and (verdict.sandbox or {}).profile == 'build' then
        verdict.sandbox.signs = true
      end
    end
    verdict.env = effect.kind == 'start' and verdict.leaves and LEAVING or nil
    verdict.confined, verdict.unseen, verdict.leaves, verdict.signs = nil, nil, nil, nil
    return verdict
  end
end

return M
