-- What becomes of a command that no rule speaks of, in a mode whose `commands.unmatched` is
-- 'confined', and of what nobody can know before it runs, where `commands.doubt` is: it runs in the
-- sandbox, unasked. What it needs beyond that, its caller asks for (`allow`), and a person decides
-- about just that. Used by matrix.lua and policy.lua.
local sandbox = require 'sandbox'

local M = {}

-- The profiles of lib/sandbox.lua, by how a verdict is confined.
local REQUESTS = {
  confined = { profile = 'confined', network = 'loopback' },
  build = { profile = 'build' },
}

local WAY_OUT = 'add a rule that allows it'

-- What a confined run has.
local function held(effect)
  return 'It runs confined: it reads all but credentials, writes the workspace and its own '
    .. 'temporary directories, and has no network'
    .. (effect.own_network == false and ' at all, because this machine refuses network namespaces '
      .. '(gibbous doctor says why): `allow = ["network"]` asks a person for one.'
      or " but this session's.")
end

-- Names what is not known, and what else the line would run.
local function subject(judged)
  local text = judged.may_confine and judged.reason:gsub('%.$', '')
    or ('No rule of the policy covers %s'):format(judged.unmatched or 'this command')
  if (judged.commands or 1) > 1 then
    text = text .. (judged.may_confine and '. The' or ', so that the')
      .. ' whole line is confined: run the rest of it by itself'
  end
  return text
end

local function ask(effect, text)
  -- The call may have been allowed because it would be confined.
  return {
    decision = 'ask', reason = text, rule = ('modes.%s.unmatched'):format(effect.mode),
    unseen = true,
  }
end

-- Rules whose commands build, test and install what the workspace needs.
local function is_build(id)
  return id:find '^building%.' ~= nil or id:find '^packages%.' ~= nil
end

--- Returns the request of a verdict's confinement.
---
--- Example: `confined.request('build').profile` is 'build'
---@param how? 'confined'|'build' nil: not confined
---@param grants? { network: boolean }
---@param effect? Effect
---@return SandboxRequest
function M.request(how, grants, effect)
  local request = REQUESTS[how] or {}
  if how == 'confined' and grants and grants.network then
    return { profile = request.profile }
  elseif how == 'confined' and effect and effect.own_network == false then
    return { profile = request.profile, network = 'off' }
  end
  return request
end

-- Why the effect cannot be confined; nil: it can.
local function obstacle(effect)
  if effect.kind == 'stdin' then
    local run = effect.run_sandbox
    if run and run.profile ~= 'none' and run.network ~= 'on' then
      return nil
    end
    return 'what is typed into a run that is not confined cannot be: start it as a command'
  elseif effect.executor and not effect.executor_confines then
    return ('the executor %s does not confine what it runs'):format(effect.executor)
  elseif effect.confinable == false then
    return 'this machine has no sandbox that holds (gibbous doctor)'
  end
end

--- Returns the verdict on an effect whose line has a command that no rule matches. `confined` in it
--- says that a start gets the sandbox.
---
--- Example: `confined.judge({ kind = 'start', mode = 'auto', judged = { unmatched = 'frob' } })`
---@param effect Effect
---@return Verdict
function M.judge(effect)
  local why = obstacle(effect)
  if why then
    return ask(effect, ('%s, and %s. Let a person approve it, or %s.'):format(
      subject(effect.judged), why, WAY_OUT))
  end
  if effect.executor then
    return {
      decision = 'allow', rule = ('modes.%s.unmatched'):format(effect.mode),
      reason = ('%s. The executor %s confines it.'):format(
        subject(effect.judged), effect.executor),
    }
  end
  return {
    decision = 'allow', rule = ('modes.%s.unmatched'):format(effect.mode), confined = 'confined',
    reason = subject(effect.judged) .. '. ' .. held(effect),
  }
end

--- Returns the verdict on a line about which rules ask only because of what nobody can know; nil
--- and why where nothing holds it.
---
--- Example: `confined.judge_doubt(effect)` where `effect.judged.may_confine` is true
---@param effect Effect
---@return Verdict? verdict
---@return string? reason
function M.judge_doubt(effect)
  local judged = effect.judged
  local why = obstacle(effect)
  if why then
    return nil, ('%s It could run confined, but %s.'):format(judged.reason, why)
  end
  local by = effect.executor and ('The executor %s confines it.'):format(effect.executor)
    or held(effect)
  return {
    decision = 'allow', rule = judged.rule, reason = ('%s. %s'):format(subject(judged), by),
    confined = not effect.executor and 'confined' or nil,
  }
end

--- Returns the verdict on a line that builds, in a mode that confines builds; others stay as the
--- rules say.
---
--- Example: `confined.judge_build(effect, { decision = 'allow', rule = 'building.make' })`
---@param effect Effect
---@param verdict Verdict
---@return Verdict
function M.judge_build(effect, verdict)
  local builds = false
  for _, id in ipairs(effect.judged.rules or {}) do
    builds = builds or is_build(id)
  end
  if verdict.decision ~= 'allow' or not builds then
    return verdict
  end
  local why = obstacle(effect)
  if why then
    return {
      decision = 'ask', rule = ('modes.%s.build'):format(effect.mode), unseen = true,
      reason = ('Mode %s confines builds, and %s. Let a person approve it.'):format(
        effect.mode, why),
    }
  end
  return {
    decision = 'allow', rule = verdict.rule, reason = verdict.reason,
    confined = not effect.executor and 'build' or nil,
  }
end

-- The parts of 'network', 'read:PATH' or 'write:PATH'.
local function kind_and_path(wish)
  if wish == 'network' then
    return wish
  end
  local kind, path = wish:match '^(%a+):(.+)$'
  if kind == 'read' or kind == 'write' then
    return kind, path
  end
end

--- Returns the verdict on an effect that asks for more than a confined run has (`allow`): a person
--- decides, unless one has seen exactly this.
---
--- Example: `confined.widen(effect, { decision = 'allow', rule = 'x',
--- confined = 'confined' }, mode)`
---@param effect Effect
---@param verdict Verdict
---@param mode Mode
---@return Verdict
function M.widen(effect, verdict, mode)
  local wishes = effect.allow or {}
  local never = verdict.decision ~= 'deny' and sandbox.never_shown(wishes, effect.places)
  if never then
    return {
      decision = 'deny', rule = 'sandbox.allow',
      reason = ('%s names what Gibbous itself keeps (answers of people, the output of other '
        .. 'sessions), which no run sees: leave it out, and use the tools or let a person look.'
        ):format(never),
    }
  end
  if #wishes == 0 or verdict.decision ~= 'allow' or verdict.confined ~= 'confined'
    or effect.seen then
    return verdict
  end
  local decision = (mode.commands or {}).ask or 'ask'
  if decision == 'allow' then
    return verdict
  end
  return {
    decision = decision, rule = 'sandbox.allow',
    reason = ('%s. It would run confined, and asks for more: %s. Let a person approve just that, '
      .. 'or start it without `allow`.'):format(
      subject(effect.judged), table.concat(wishes, ', ')),
  }
end

--- Returns what `allow` of a start adds to its profile.
---
--- Example: `confined.grants { 'network', 'write:~/.config/x' }.network` is true
---@param wishes? string[]
---@return { network: boolean, read: string[], write: string[] }
function M.grants(wishes)
  local grants = { network = false, read = {}, write = {} }
  for _, wish in ipairs(wishes or {}) do
    local kind, path = kind_and_path(wish)
    if kind == 'network' then
      grants.network = true
    elseif kind then
      table.insert(grants[kind], path)
    end
  end
  return grants
end

return M
