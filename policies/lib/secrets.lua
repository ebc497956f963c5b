-- Which starts may have secrets. A team's tool names those that its command needs; a model that
-- chooses both the secret and the command could send it anywhere. Used by policy.lua.
local M = {}

local function names_of(effect)
  local names = {}
  for _, name in pairs(effect.secrets or {}) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- Returns the verdict on a start, or a stricter one when it names secrets and the mode does not
--- allow that (`secrets = 'allow'`; default: 'ask').
---
--- Example: `secrets.judge(mode, { kind = 'start', secrets = { TOKEN = 'deploy' } },
--- { decision = 'allow', rule = 'x' })`
---@param mode Mode
---@param effect Effect
---@param verdict Verdict
---@return Verdict
function M.judge(mode, effect, verdict)
  if effect.kind ~= 'start' or verdict.decision == 'deny' or not mode then
    return verdict
  end
  local names = names_of(effect)
  local decision = mode.secrets or 'ask'
  local asked = decision == 'ask' and (effect.seen or verdict.decision == 'ask')
  if #names == 0 or decision == 'allow' or asked then
    return verdict
  end
  return {
    decision = decision,
    rule = 'secrets.start',
    reason = ('This command gets the secret %s: let a person approve it, start it without, or let '
      .. "a mode of your policy say secrets = 'allow'."):format(table.concat(names, ', ')),
  }
end

return M
