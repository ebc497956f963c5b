-- Modes as tables: a decision for each named tool, and one for each permission class for the tools
-- that are not named. Used by policies/init.lua, and by a team's own.
local M = {}

local CLASSES = { read = true, write = true, execute = true }
local DECISIONS = { allow = true, ask = true, deny = true }
local KEYS = {
  description = true, permissions = true, tools = true, instead = true, limits = true,
  tool_limits = true, sandbox = true,
}
local LIMITS = {
  memory_bytes = true, cpu_time_ms = true, cpu_share = true, pids = true, open_files = true,
  file_size_bytes = true, output_bytes = true, log_bytes = true, wall_time_ms = true,
  idle_time_ms = true,
}

-- What to do instead, when the mode does not say.
local INSTEAD = {
  ask = 'approve it in your client, or start Gibbous with --mode auto',
  deny = 'use a tool that this mode allows, or start Gibbous with another --mode',
}

local function expect(condition, ...)
  if not condition then
    error(string.format(...), 0)
  end
end

--- Checks the table of a mode, and raises what is wrong with it: a spelling mistake must not widen
--- what is allowed.
---
--- Example: `matrix.check('review', { permissions = { read = 'allow', write = 'ask',
--- execute = 'deny' } })`
---@param name string
---@param mode Mode
function M.check(name, mode)
  expect(type(mode) == 'table', 'mode %s: must be a table, not a %s', name, type(mode))
  for key in pairs(mode) do
    expect(KEYS[key], 'mode %s: unknown key %s', name, tostring(key))
  end
  expect(type(mode.permissions) == 'table', 'mode %s: permissions is missing', name)
  for class, decision in pairs(mode.permissions) do
    expect(CLASSES[class], 'mode %s: unknown permission class %s', name, tostring(class))
    expect(DECISIONS[decision], 'mode %s: permissions.%s must be allow, ask or deny', name, class)
  end
  for class in pairs(CLASSES) do
    expect(mode.permissions[class], 'mode %s: permissions.%s is missing', name, class)
  end
  for limit, value in pairs(mode.limits or {}) do
    expect(LIMITS[limit], 'mode %s: unknown limit %s', name, tostring(limit))
    local good = type(value) == 'number' and value > 0
    expect(good, 'mode %s: limits.%s must be a number above 0', name, limit)
  end
  local switch = mode.tool_limits == nil or type(mode.tool_limits) == 'boolean'
  expect(switch, 'mode %s: tool_limits must be true or false', name)
  for tool, decision in pairs(mode.tools or {}) do
    expect(type(tool) == 'string', 'mode %s: tools must be named', name)
    expect(DECISIONS[decision], 'mode %s: tools.%s must be allow, ask or deny', name, tool)
  end
end

--- Gives what the mode of an effect says about its tool.
---
--- Example: `matrix.judge(modes, { kind = 'call', mode = 'ci', tool = 'bg_start',
--- permission = 'execute' }).decision`
---@param modes table<string, Mode>
---@param effect Effect
---@return Verdict
function M.judge(modes, effect)
  local mode = modes[effect.mode]
  if not mode then
    local reason = 'There is no mode %s: start Gibbous with a mode that exists.'
    return {
      decision = 'deny',
      reason = reason:format(tostring(effect.mode)),
      rule = 'modes.unknown',
    }
  end
  local named = mode.tools and mode.tools[effect.tool]
  local decision = named or mode.permissions[effect.permission] or 'deny'
  local row = named and effect.tool or tostring(effect.permission)
  local rule = ('modes.%s.%s'):format(effect.mode, row)
  if decision == 'allow' then
    return { decision = 'allow', rule = rule }
  end
  local text = decision == 'ask' and '%s needs approval in mode %s: %s.'
    or '%s is denied in mode %s: %s.'
  local instead = mode.instead or INSTEAD[decision]
  return {
    decision = decision,
    reason = text:format(tostring(effect.tool), effect.mode, instead),
    rule = rule,
  }
end

return M
