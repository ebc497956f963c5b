-- For a team's own init.lua: derives modes and lists of rules from the shipped ones. Rules are
-- named by id; 'network.*' names all whose ids begin so. An id that no rule has is an error, so
-- that a rule that was renamed does not come back unnoticed.
local M = {}

local function merged(first, second)
  local both = {}
  for _, fields in ipairs { first, second } do
    for key, value in pairs(fields) do
      both[key] = value
    end
  end
  return both
end

local function patterns_of(ids)
  local list = {}
  for id in ids:gmatch('%S+') do
    local head = id:match('^(.*)%*$')
    list[#list + 1] = { id = id, head = head or id, whole = head == nil, met = false }
  end
  return list
end

local function names(patterns, id)
  local found = false
  for _, pattern in ipairs(patterns) do
    if pattern.whole and id == pattern.id
      or not pattern.whole and id:sub(1, #pattern.head) == pattern.head then
      pattern.met, found = true, true
    end
  end
  return found
end

local function check(patterns)
  for _, pattern in ipairs(patterns) do
    if not pattern.met then
      error(('there is no rule %s'):format(pattern.id), 0)
    end
  end
end

--- Returns the rules without these.
---
--- Example: `override.remove(rules, 'git.push git.push_force')`
---@param rules Rule[]
---@param ids string
---@return Rule[]
function M.remove(rules, ids)
  local kept, patterns = {}, patterns_of(ids)
  for _, rule in ipairs(rules) do
    if not names(patterns, rule.id) then
      kept[#kept + 1] = rule
    end
  end
  check(patterns)
  return kept
end

--- Returns the rules, with another decision for these.
---
--- Example: `override.set_decision(rules, 'deny', 'git.push git.push_force')`
---@param rules Rule[]
---@param decision 'allow'|'ask'|'deny'
---@param ids string
---@return Rule[]
function M.set_decision(rules, decision, ids)
  local all, patterns = {}, patterns_of(ids)
  for _, rule in ipairs(rules) do
    if names(patterns, rule.id) then
      rule = merged(rule, { decision = decision })
      if decision ~= 'allow' then
        rule.leaves, rule.reads = nil, nil
      end
    end
    all[#all + 1] = rule
  end
  check(patterns)
  return all
end

--- Returns a copy of a mode with other values for some fields. Rules that name the mode hold in the
--- copy, too, whatever that is called.
---
--- Example: `override.mode(modes.auto, { limits = { pids = 200 } })`
---@param mode Mode
---@param fields table<string, any> of Mode
---@return Mode
function M.mode(mode, fields)
  return merged(mode, fields)
end

--- Returns one list with the rules of both.
---
--- Example: `override.with(rules, { { id = 'team.x', ... } })`
---@param rules Rule[]
---@param more Rule[]
---@return Rule[]
function M.with(rules, more)
  local all = {}
  for _, list in ipairs { rules, more } do
    for _, rule in ipairs(list) do
      all[#all + 1] = rule
    end
  end
  return all
end

return M
