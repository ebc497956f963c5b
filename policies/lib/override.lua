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

-- Whether a command is these words and what may follow them, each word known before it runs, and
-- nothing else: no variable, wrapper or redirection, and no part of another command.
local function is_plain(command, words, follows)
  if command.program ~= words[1] or command.privileged or command.remote then
    return false
  end
  for _, list in ipairs { command.assignments, command.wrappers, command.within } do
    if #list > 0 then
      return false
    end
  end
  for _, access in ipairs(command.accesses) do
    if access.redirection then
      return false
    end
  end
  local count = 0
  while command.literal[count + 1] ~= nil do
    count = count + 1
    if not command.literal[count] then
      return false
    end
  end
  local more = count - #words
  if more < 0 or follows == 'nothing' and more > 0 or follows == nil and more == 0 then
    return false
  end
  for at, word in ipairs(words) do
    if command.argv[at] ~= word then
      return false
    end
  end
  return true
end

local function without_examples(examples, text)
  local kept = {}
  for _, example in ipairs(examples) do
    local line = type(example) == 'table' and (example.command or table.concat(example, ' '))
      or example
    if not line:find(text, 1, true) then
      kept[#kept + 1] = example
    end
  end
  return kept
end

---@class Approved
---@field id string of the rule that allows
---@field words string[] that the commands begin with: { 'git', 'push', 'origin' }
---@field follows? 'nothing'|'anything' the words; default: at least one word
---@field asked_by string[] ids of the rules that ask about them no more
---@field match (string|Example)[]

--- Returns the rules, with one that allows plain commands that begin with these words; the rules
--- `asked_by` do not ask about them any more, and every other rule still counts.
--- `gibbous policy suggest` writes such calls.
---
--- Example: `override.approve(rules, { id = 'approved.push', words = { 'git', 'push', 'origin' },
--- asked_by = { 'git.push' }, match = { 'git push origin x' } })`
---@param rules Rule[]
---@param approved Approved
---@return Rule[]
function M.approve(rules, approved)
  local words, follows = approved.words, approved.follows
  local text = table.concat(words, ' ')
  local all, patterns = {}, patterns_of(table.concat(approved.asked_by, ' '))
  for _, rule in ipairs(rules) do
    if names(patterns, rule.id) then
      local before = rule.test
      local match = without_examples(rule.match, text)
      if #match == 0 then
        match[1] = text .. ' "$WORD"'
      end
      rule = merged(rule, {
        match = match,
        test = function(command)
          return not is_plain(command, words, follows) and (before == nil or before(command))
        end,
      })
    end
    all[#all + 1] = rule
  end
  check(patterns)
  all[#all + 1] = {
    id = approved.id,
    decision = 'allow',
    program = { words[1] },
    test = function(command)
      return is_plain(command, words, follows)
    end,
    match = approved.match,
  }
  return all
end

return M
