-- Which executor settings a call may choose. A team writes the settings in the configuration, but a
-- model may write those of a call, and some reach further than any command: another program,
-- another machine, more files of this machine. Used by policy.lua.
local M = {}

local FAR = {
  address = true, config = true, context = true, host = true, identity = true, network = true,
  options = true, pid_directory = true, program = true, systemctl = true, volumes = true,
  write = true,
}
-- Values that only restrict the run.
local NEAR = { network = { none = true, off = true, loopback = true } }

local function far_settings(effect)
  local names = {}
  for name, value in pairs(effect.executor_settings or {}) do
    local near = NEAR[name] and NEAR[name][value]
    if FAR[name] and not near then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

--- Returns the verdict on a start, or a stricter one when its executor settings need approval.
---
--- Example: `executors.judge(mode, { kind = 'start', executor = 'docker',
--- executor_settings = { volumes = { '/:/host' } } }, { decision = 'allow', rule = 'x' })`
---@param mode Mode
---@param effect Effect
---@param verdict Verdict
---@return Verdict
function M.judge(mode, effect, verdict)
  if effect.kind ~= 'start' or verdict.decision ~= 'allow' or not mode or effect.seen then
    return verdict
  end
  local names = far_settings(effect)
  local decision = (mode.commands or {}).ask or 'ask'
  if #names == 0 or decision == 'allow' then
    return verdict
  end
  return {
    decision = decision,
    rule = 'executors.settings',
    reason = ('This start chooses %s of executor %s itself, which reach beyond the command: put '
      .. 'them into executors.%s of the configuration, or let a person approve them.'):format(
      table.concat(names, ', '), tostring(effect.executor), tostring(effect.executor)),
  }
end

return M
