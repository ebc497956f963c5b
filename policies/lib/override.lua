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

-- Returns the ids that these name, as keys.
local function selected(rules, ids)
  local found = {}
  for id in ids:gmatch('%S+') do
    local head, met = id:match('^(.*)%*$'), false
    for _, rule in ipairs(rules) do
      if rule.id == id or head and rule.id:sub(1, #head) == head then
        found[rule.id], met = true, true
      end
    end
    if not met then
      error(('there is no rule %s'):format(id), 0)
    end
  end
  return found
end

--- Returns the rules without these.
---
--- Example: `override.remove(rules, 'git.push git.push_force')`
---@param rules Rule[]
---@param ids string
---@return Rule[]
function M.remove(rules, ids)
  local kept, removed = {}, selected(rules, ids)
  for _, rule in ipairs(rules) do
    kept[#kept + 1] = not removed[rule.id] and rule or nil
  end
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
  local all, named = {}, selected(rules, ids)
  for _, rule in ipairs(rules) do
    if named[rule.id] then
      rule = merged(rule, { decision = decision })
      if decision ~= 'allow' then
        rule.leaves, rule.reads = nil, nil
      end
    end
    all[#all + 1] = rule
  end
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
