-- Which sandbox a command runs in, what becomes of it where there is none, and what it may ask for
-- beyond it (`allow`), about just which a person decides. Used by matrix.lua and policy.lua.
local sandbox = require 'sandbox'

local M = {}

-- The requests by how a verdict is confined: what rules know, what they do not know, what may
-- change nothing, and git with its keys.
local REQUESTS = {
  build = { profile = 'build' },
  confined = { profile = 'confined', network = 'loopback' },
  plan = { profile = 'plan', network = 'loopback' },
  fetch = { profile = 'fetch' },
}

-- What runs there has.
local HELD = {
  build = 'It runs in the sandbox `build`: it reads all but credentials, and writes the workspace, '
    .. 'caches and its own temporary directories',
  confined = 'It runs confined: it reads all but credentials, writes the workspace and its own '
    .. 'temporary directories, and has no network',
  plan = 'It runs on a copy of the workspace that is thrown away, reads all but credentials, and '
    .. 'has no network',
}

-- What a commit or a tag that git signs asks for, named or not.
local SIGN = 'sign'
local SIGNING = 'signing.commits' -- a person may allow all of it, not just one line

local function held(effect, how)
  if how == 'build' then
    return HELD[how] .. '.'
  end
  local text = how == 'plan' and effect.own_network == false and 'It only reads the workspace and '
    .. 'all but credentials, and has no network' or HELD[how]
  return text .. (effect.own_network == false and ' at all, because this machine refuses '
    .. 'network namespaces (gibbous doctor says why): `allow = ["network"]` asks a person for one.'
    or " but this session's.")
end

--- Returns a sentence, without its end, that names what is not known.
---
--- Example: `confined.subject { unmatched = 'frobnicate' }`
---@param judged Judged
---@return string
function M.subject(judged)
  return judged.may_confine and judged.reason:gsub('%.$', '')
    or ('No rule of the policy covers %s'):format(judged.unmatched or 'this command')
end

--- Returns the request of a verdict's confinement.
---
--- Example: `confined.request('build').profile` is 'build'
---@param how? 'confined'|'build'|'plan'|'fetch' nil: not confined
---@param grants? { network: boolean }
---@param effect? Effect
---@return SandboxRequest
function M.request(how, grants, effect)
  local request = REQUESTS[how] or {}
  if request.network and grants and grants.network then
    return { profile = request.profile }
  elseif request.network and effect and effect.own_network == false then
    return { profile = request.profile, network = 'off' }
  end
  return request
end

--- Returns why the effect cannot be confined, and whether that is for want of a sandbox where it
--- runs; nil: it can.
---
--- Example: `confined.obstacle { kind = 'start' }` is nil
---@param effect Effect
---@return string? why
---@return boolean? bare
function M.obstacle(effect)
  if effect.kind == 'stdin' then
    local run = effect.run_sandbox
    if run and run.profile ~= 'none' and run.network ~= 'on' and run.network ~= 'checked' then
      return nil
    end
    return 'what is typed into a run that is not confined cannot be: start it as a command', false
  elseif effect.executor then
    if not effect.executor_confines then
      return ('the executor %s does not confine what it runs'):format(effect.executor), true
    end
  elseif effect.confinable == false then
    return 'this machine has no sandbox that holds (gibbous doctor)', true
  end
end

--- Returns the verdict on an effect whose line no rule covers, or about which rules ask only for
--- what is known when it runs: it runs in the sandbox `how`, or where its executor confines it.
---
--- Example: `confined.judge({ kind = 'start', mode = 'auto', judged = { unmatched = 'frob' } },
--- 'confined')`
---@param effect Effect
---@param how 'confined'|'build'|'plan'
---@return Verdict
function M.judge(effect, how)
  local judged = effect.judged
  local text = M.subject(judged)
  if (judged.commands or 1) > 1 then
    text = text .. (judged.may_confine and '. The' or ', so that the')
      .. ' whole line is confined: run the rest of it by itself'
  end
  return {
    decision = 'allow', confined = not effect.executor and how or nil,
    rule = judged.may_confine and judged.rule or ('modes.%s.unmatched'):format(effect.mode),
    reason = text .. '. ' .. (effect.executor
      and ('The executor %s confines it.'):format(effect.executor) or held(effect, how)),
  }
end

-- The parts of 'network', 'sign', 'port:NUMBER', 'read:PATH' or 'write:PATH'.
local function kind_and_path(wish)
  if wish == 'network' or wish == SIGN then
    return wish
  end
  local kind, path = wish:match '^(%a+):(.+)$'
  if kind == 'read' or kind == 'write' or kind == 'port' then
    return kind, path
  end
end

-- Returns whether the start may have something signed: in the sandbox `build`, where no other one
-- can reach what signs.
local function signs(effect, verdict, mode, wants)
  if wants or verdict.confined ~= 'build' or effect.own_network == false then
    return verdict.confined == 'build' and effect.own_network ~= false
  end
  for _, rule in ipairs((mode.commands or {}).ask ~= 'deny' and effect.judged.rules or {}) do
    if rule:find '^known%.git_signs' or rule == 'known.git_commits' and effect.signs then
      return true
    end
  end
  return false
end

--- Returns the verdict on an effect that asks for more than its sandbox has (`allow`, or the user's
--- key for what git signs): a person decides, unless one has seen exactly this.
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
      reason = ('%s names what Gibbous itself keeps or obeys (answers of people, the output of '
        .. 'other sessions, policies), which is no run\'s: leave it out, and use the tools or let '
        .. 'a person do it.'):format(never),
    }
  end
  local wants = M.grants(wishes).sign
  verdict.signs = signs(effect, verdict, mode, wants)
  if wants and verdict.confined and not verdict.signs then
    return {
      decision = 'deny', rule = 'sandbox.allow',
      reason = 'Only what runs in the sandbox `build` has commits and tags signed, and not on this '
        .. 'machine where it has no namespaces: leave out "sign".',
    }
  elseif verdict.signs and not wants then
    wishes = { SIGN, unpack(wishes) }
  end
  if verdict.signs and verdict.decision == 'ask' then
    verdict.also = { SIGNING, unpack(verdict.also or {}) }
    verdict.reason = verdict.reason .. ' What it commits is signed with the user\'s key.'
  end
  if #wishes == 0 or verdict.decision ~= 'allow' or not verdict.confined or effect.seen then
    return verdict
  end
  local decision = (mode.commands or {}).ask or 'ask'
  if decision == 'allow' then
    return verdict
  end
  if verdict.signs and #wishes == 1 then
    return {
      decision = decision, rule = SIGNING, confined = verdict.confined, signs = true,
      reason = 'It has commits or tags signed with the key of the user\'s git, which the sandbox '
        .. 'hides. Let a person approve just that, or leave it unsigned: --no-gpg-sign.',
    }
  end
  return {
    decision = decision, rule = 'sandbox.allow',
    confined = verdict.confined, signs = verdict.signs,
    reason = ('It would run in the sandbox `%s`, and asks for more: %s. Let a person approve just '
      .. 'that, or start it without `allow`.'):format(verdict.confined, table.concat(wishes, ', ')),
  }
end

--- Returns what `allow` of a start adds to its profile.
---
--- Example: `confined.grants { 'network', 'write:~/.config/x' }.network` is true
---@param wishes? string[]
---@return { network: boolean, sign?: boolean, read: string[], write: string[], port: integer[] }
function M.grants(wishes)
  local grants = { network = false, read = {}, write = {}, port = {} }
  for _, wish in ipairs(wishes or {}) do
    local kind, path = kind_and_path(wish)
    if kind == 'network' or kind == SIGN then
      grants[kind] = true
    elseif kind then
      table.insert(grants[kind], kind == 'port' and tonumber(path) or path)
    end
  end
  return grants
end

return M
