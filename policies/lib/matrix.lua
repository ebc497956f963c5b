-- Modes as tables: a decision for each named tool, one for each permission class for the other
-- tools, and the decisions on command lines that a rule asks about or that no rule matches. Used by
-- policy.lua.
local confined = require 'confined'

local M = {}

local DECISION = schema.string { enum = { 'allow', 'ask', 'deny' } }
local OPTIONAL = schema.string { enum = { 'allow', 'ask', 'deny' }, optional = true }
local UNMATCHED_COMMANDS = schema.string {
  enum = { 'allow', 'confined', 'ask', 'deny' }, optional = true,
}
local BUILDS = schema.string { enum = { 'allow', 'confined' }, optional = true }
local TEXT = schema.string { optional = true }
local MODE = schema.object {
  description = TEXT,
  permissions = schema.object { read = DECISION, write = DECISION, execute = DECISION },
  tools = schema.object({}, { additional = DECISION, optional = true }),
  instead = TEXT,
  limits = schema.limits { optional = true },
  tool_limits = schema.boolean { optional = true },
  sandbox = schema.sandbox { optional = true }, -- sandbox.check knows the profiles
  secrets = OPTIONAL, -- starts that name secrets; default: ask
  commands = schema.object({
    unmatched = UNMATCHED_COMMANDS, doubt = UNMATCHED_COMMANDS, ask = OPTIONAL, build = BUILDS,
  }, { optional = true }),
  rank = schema.integer { optional = true },
  rules_of = TEXT, -- a mode whose rules hold in this one, too
}

-- What to do instead, where the mode has no text of its own.
local INSTEAD = {
  ask = 'approve it in your client, or start Gibbous with --mode auto',
  deny = 'use a tool that this mode allows, or start Gibbous with another --mode',
}

-- The same for a command that no rule matches.
local UNMATCHED = {
  ask = 'No rule of the policy covers this command, and mode %s asks about such commands: approve '
    .. 'it in your client, or add a rule that allows it.',
  deny = 'No rule of the policy allows this command, and mode %s denies what is not allowed: use a '
    .. 'command that reads or builds, add a rule that allows it, or start Gibbous with another '
    .. '--mode.',
}

--- Checks the table of a mode and raises an error for what is wrong: a spelling mistake must not
--- allow more.
---
--- Example: `matrix.check('review', { permissions = { read = 'allow', write = 'ask',
--- execute = 'deny' } })`
---@param name string
---@param mode Mode
function M.check(name, mode)
  schema.check(mode, MODE, 'mode ' .. name)
end

-- The greater, the stricter.
local RANK = { allow = 1, ask = 2, deny = 3 }

-- Returns the name of the row that a mode has for the tool of an effect; nil without one. A row for
-- one action, such as `job.stop`, comes first, and a tool that is judged as another one last.
local function row_of(mode, effect)
  local rows = mode.tools or {}
  local of_action = effect.action and ('%s.%s'):format(effect.tool, effect.action)
  for _, name in ipairs { of_action or effect.tool, effect.tool, effect.judged_as } do
    if rows[name] then
      return name
    end
  end
end

-- Returns the mode's verdict on the tool of an effect.
local function judge_tool(mode, effect)
  local row = row_of(mode, effect)
  local decision = row and mode.tools[row] or mode.permissions[effect.permission] or 'deny'
  row = row or tostring(effect.permission)
  local rule = ('modes.%s.%s'):format(effect.mode, row)
  if effect.kind ~= 'call' and decision == 'ask' then
    -- The call itself was approved, so its effects need no second approval of the tool.
    decision = 'allow'
  end
  if decision == 'allow' then
    return { decision = 'allow', rule = rule }
  end
  local text = decision == 'ask' and '%s needs approval in mode %s: %s.'
    or '%s is denied in mode %s: %s.'
  local instead = mode.instead or INSTEAD[decision]
  if effect.mode == 'auto' and not mode.instead and decision == 'ask' then
    instead = 'approve it in your client'
  end
  return {
    decision = decision,
    reason = text:format(tostring(effect.tool), effect.mode, instead),
    rule = rule,
  }
end

-- Returns the verdict of the rules on the commands of an effect, as the mode applies it. `judged`
-- has no decision when no rule matches some command of the line.
local function judge_commands(mode, effect)
  local judged, commands = effect.judged, mode.commands or {}
  if judged.decision == 'allow' and commands.build == 'confined' then
    return confined.judge_build(effect, judged)
  elseif judged.decision == 'deny' or judged.decision == 'allow' then
    return judged
  end
  if judged.decision == 'ask' then
    -- All that asks is what nobody can know, and nothing known speaks against it.
    local doubted = judged.may_confine and commands.doubt
    local refusal
    if doubted == 'confined' then
      local verdict, why = confined.judge_doubt(effect)
      if verdict then
        return verdict
      end
      doubted, refusal = nil, why
    end
    local decision, reason = doubted or commands.ask or 'ask', refusal or judged.reason
    if decision == 'deny' then
      local text = '%s It needs approval, and mode %s has no person to ask.'
      reason = text:format(reason, effect.mode)
    end
    -- An approval of the rule must not open what no rule knows.
    local unknown = judged.unmatched and commands.unmatched ~= 'allow'
    return {
      decision = decision, reason = reason, rule = judged.rule,
      also = unknown and { ('modes.%s.unmatched'):format(effect.mode) } or nil,
    }
  end
  local decision = commands.unmatched or mode.permissions.execute
  if decision == 'confined' then
    return confined.judge(effect)
  end
  return {
    decision = decision,
    reason = UNMATCHED[decision] and UNMATCHED[decision]:format(effect.mode),
    rule = ('modes.%s.unmatched'):format(effect.mode),
  }
end

--- Returns the verdict on an effect. Without commands it is the mode's verdict on the tool. With
--- commands it is the verdict of the rules, or the stricter of both for a tool that the mode names.
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
  if not effect.judged then
    return judge_tool(mode, effect)
  end
  local verdict = judge_commands(mode, effect)
  if row_of(mode, effect) then
    local row = judge_tool(mode, effect)
    if RANK[row.decision] > RANK[verdict.decision] then
      row.also = verdict.also
      return row
    end
  end
  return {
    decision = verdict.decision, reason = verdict.reason, rule = verdict.rule,
    confined = verdict.confined, also = verdict.also, unseen = verdict.unseen,
  }
end

return M
