-- Modes as tables: a decision for each named tool, one for each permission class for the other
-- tools, and the decisions on command lines that a rule asks about or that no rule matches. Used by
-- policy.lua.
local confined = require 'confined'

local M = {}

local DECISION = schema.string { enum = { 'allow', 'ask', 'deny' } }
local OPTIONAL = schema.string { enum = { 'allow', 'ask', 'deny' }, optional = true }
local PLACE = schema.string {
  enum = { 'allow', 'build', 'confined', 'plan', 'ask', 'deny' }, optional = true,
}
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
    build = PLACE, read = PLACE, unmatched = PLACE, doubt = PLACE, leave = OPTIONAL, ask = OPTIONAL,
    bare = schema.object({ read = OPTIONAL, build = OPTIONAL, unmatched = OPTIONAL },
      { optional = true }),
  }, { optional = true }),
  rank = schema.integer { optional = true },
}

-- What to do instead, where the mode has no text of its own.
local INSTEAD = {
  ask = 'approve it in your client, or start Gibbous with --mode auto',
  deny = 'use a tool that this mode allows, or start Gibbous with another --mode',
}

-- The same for commands, by what is known of them.
local COMMANDS = {
  unmatched = {
    ask = 'No rule of the policy covers this command, and mode %s asks about such commands: '
      .. 'approve it in your client, or add a rule that allows it.',
    deny = 'No rule of the policy allows this command, and mode %s denies what is not allowed: add '
      .. 'a rule that allows it, or start Gibbous with another --mode.',
  },
  build = {
    ask = 'Mode %s asks about all commands but those that only read: approve it in your client, or '
      .. 'start Gibbous with --mode auto.',
    deny = 'Mode %s runs only what a sandbox holds, and this machine has none (gibbous doctor): '
      .. 'start Gibbous with another --mode.',
  },
  leave = {
    ask = 'This command runs outside of the sandbox, and mode %s asks about that: approve it in '
      .. 'your client.',
    deny = 'This command needs to run outside of the sandbox, and mode %s lets nothing leave it: '
      .. 'start Gibbous with another --mode.',
  },
}
local PROFILES = { build = true, confined = true, plan = true }

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

-- Returns whether git is among what leaves, and whether something else is.
local function leavers(judged)
  local git, others = false, false
  for _, rule in ipairs(judged.rules or {}) do
    local is_git = rule:find('^leaving%.git') ~= nil
    git = git or is_git
    others = others or not is_git and not rule:find('^reading%.') and not rule:find('^known%.')
  end
  return git, others
end

-- Returns what becomes of a line as it is known: 'leave', 'read' or 'build' (rules allow it), and
-- 'doubt' or 'unmatched'.
local function standing(judged, commands, effect)
  if judged.decision == 'allow' then
    -- Where there is no sandbox, or none with namespaces, runs write what git obeys, and the
    -- machine's /tmp.
    local _, bare = confined.obstacle(effect)
    local held = effect.own_network ~= false and not bare or commands.leave == 'deny'
      or (commands.build or 'build') == 'allow'
    local git, others = leavers(judged)
    return judged.leaves and held and not (git and others) and 'leave'
      or judged.reads and commands.read and 'read' or 'build'
  end
  return judged.may_confine and 'doubt' or 'unmatched'
end

-- Returns the verdict on a line where no sandbox holds it, although the mode wants one.
local function judge_bare(mode, effect, known, why)
  local judged, rows = effect.judged, mode.commands.bare or {}
  local row = judged.reads and 'read' or known == 'build' and 'build' or 'unmatched'
  local never_asks = mode.commands.ask == 'deny'
  local decision = rows[row] or row == 'read' and 'allow' or never_asks and 'deny' or 'ask'
  local text = row == 'unmatched' and confined.subject(judged)
    or ('Mode %s runs this in a sandbox'):format(effect.mode)
  return {
    decision = decision, rule = ('modes.%s.%s'):format(effect.mode, row), unseen = true,
    reason = ('%s, and %s. %s'):format(text, why, decision == 'allow' and 'It runs without one.'
      or decision == 'ask' and 'Let a person approve it.'
      or 'Start Gibbous with another --mode, or where there is one.'),
  }
end

-- Returns the verdict on a start whose log Gibbous would write, where the run changes nothing.
local function judge_log(mode, effect)
  return {
    decision = mode.commands.ask or 'ask', rule = ('modes.%s.log'):format(effect.mode),
    reason = ('Mode %s runs this on a copy of the workspace, and a log stays in the workspace: '
      .. 'leave out `log`, and read the output.'):format(effect.mode),
    confined = 'build',
  }
end

-- Returns the verdict on a line that no rule denies or asks about, but for what is not known.
local function settle(mode, effect, known, wanted)
  local judged = effect.judged
  local why, bare = confined.obstacle(effect)
  if PROFILES[wanted] then
    local is_known = known ~= 'unmatched' and known ~= 'doubt'
    if wanted == 'plan' and #(effect.log or {}) > 0 and not why then
      return judge_log(mode, effect)
    elseif why and (bare or wanted == 'plan' or not is_known) then
      return judge_bare(mode, effect, known, why)
    elseif not is_known then
      return confined.judge(effect, wanted)
    end
    return {
      decision = 'allow', rule = judged.rule, reason = judged.reason,
      confined = not why and not effect.executor and wanted or nil,
    }
  end
  local is_git = known == 'leave' and leavers(judged) and not why and not effect.executor
    and (mode.commands.build or 'build') ~= 'allow'
  if wanted == 'allow' then
    return {
      decision = 'allow', reason = judged.reason,
      rule = judged.rule or ('modes.%s.%s'):format(effect.mode, known),
      confined = is_git and 'fetch' or nil,
    }
  end
  local text = (COMMANDS[known] or COMMANDS.unmatched)[wanted]:format(effect.mode)
  return {
    decision = wanted, rule = ('modes.%s.%s'):format(effect.mode, known),
    reason = bare and wanted == 'ask'
      and ('%s It would run without a sandbox: %s.'):format(text, why) or text,
    -- What a person allows of these runs in a sandbox, where there is one.
    confined = is_git and 'fetch' or known ~= 'leave' and not why and not effect.executor
      and 'build' or nil,
  }
end

-- Returns the verdict on a line that rules ask about.
local function judge_asked(mode, effect)
  local judged, commands = effect.judged, mode.commands or {}
  local decision, reason = commands.ask or 'ask', judged.reason
  if decision == 'deny' then
    reason = ('%s It needs approval, and mode %s has no person to ask.'):format(
      reason, effect.mode)
  end
  -- An approval of the rule must not open what no rule knows.
  local unknown = judged.unmatched and commands.unmatched ~= 'allow'
  -- What a person allows for want of knowing it runs in a sandbox, as the rest does.
  local held = judged.may_confine and decision == 'ask' and not confined.obstacle(effect)
    and not effect.executor
  return {
    decision = decision, reason = reason, rule = judged.rule, confined = held and 'build' or nil,
    also = unknown and { ('modes.%s.unmatched'):format(effect.mode) } or nil,
  }
end

-- What rules ask about and a sandbox holds: whom a signal reaches, and settings, which are in a
-- layer of the session. With the reason that the verdict then has.
local SIGNALS = 'Signals of a sandbox reach processes of its session alone.'
local HELD = {
  ['processes.kill'] = SIGNALS, ['processes.kill_by_name'] = SIGNALS,
  ['files.settings'] = 'What a sandbox changes in settings and caches of the user is its '
    .. "session's own.",
}

-- Returns the reason if rules ask about nothing but what the sandbox of the line holds.
local function held_reason(mode, effect)
  local judged, wanted = effect.judged, (mode.commands or {}).build
  if judged.decision ~= 'ask' or judged.doubtful or not PROFILES[wanted] or effect.executor
    or confined.obstacle(effect) then
    return nil
  end
  local reason
  for _, rule in ipairs(judged.rules or {}) do
    local held = HELD[rule]
    if held == SIGNALS and (wanted ~= 'build' or effect.own_signals == false) then
      return nil
    elseif not held and not rule:find '^known%.' and not rule:find '^reading%.' then
      return nil
    end
    reason = reason or held
  end
  return reason
end

-- Returns the verdict of the rules on the commands of an effect, as the mode applies it. `judged`
-- has no decision when no rule matches some command of the line.
local function judge_commands(mode, effect)
  local judged, commands = effect.judged, mode.commands or {}
  if judged.decision == 'deny' then
    return judged
  end
  local held = held_reason(mode, effect)
  if held then
    judged.decision, judged.reason = not judged.unmatched and 'allow' or nil, held
  end
  local known = standing(judged, commands, effect)
  if judged.decision == 'ask' and not (known == 'doubt' and PROFILES[commands.doubt]
    and not confined.obstacle(effect)) then
    return judge_asked(mode, effect)
  end
  return settle(mode, effect, known, commands[known]
    or known == 'leave' and 'allow' or known == 'build' and 'build'
    or mode.permissions.execute)
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
    -- In a mode without a sandbox, nothing leaves one.
    leaves = verdict.decision ~= 'deny' and effect.judged.leaves
      and ((mode.commands or {}).build or 'build') ~= 'allow',
  }
end

return M
