-- The words of which sub-commands are made: what removes or stops something, what only looks, and
-- which programs are known to work on this machine alone. Rules about tools that nobody has listed
-- use it: `acmectl node delete` has the shape of a removal, whatever acmectl is.
local set = require('word_set').of

local M = {}

-- Whatever else stands in the word: delete-stack, db:reset, vm.destroy, DeleteCluster.
local REMOVING = set('delete del destroy terminate purge reset wipe drop erase remove rm nuke '
  .. 'prune '
  .. 'truncate flush revoke uninstall teardown decommission deprovision undeploy dismiss forget '
  .. 'deregister unregister unpublish obliterate dropdb downgrade rollback revert undo fresh zap '
  .. 'deleteall rmi rb evict drain yank expunge scrub zeroize cleanse uncommit unenroll '
  .. 'factory clobber withdraw expire trash')
-- Only as a word of its own.
local STOPPING = set('down stop restart reboot shutdown poweroff halt kill suspend cancel abort '
  .. 'disable detach dealloc deallocate hibernate quit leave seal failover shred redo')
local CHANGING = set('create update set put add apply deploy start run exec modify attach enable '
  .. 'import upload send invoke patch replace edit rotate assign grant promote publish push write '
  .. 'restore move mv cp sync copy rename scale resize rebuild renew register tag untag login '
  .. 'logout '
  .. 'approve merge close open lock unlock execute trigger reboot init join link unlink cordon')
local LOOKING = set('describe list ls show get help version logs log status tail whoami info '
  .. 'search '
  .. 'filter head wait history ps validate diff inspect doctor lookup check plan preview view '
  .. 'explain stat du scan find current events top usage docs output outputs read lint '
  .. 'dump test query verify tree browse cat lst batch-get summary overview estimate '
  .. 'locate is-active ping graph watch synth synthesize template compare monitor locations '
  .. 'regions sizes images types health digest analyze catalog')
-- Alone, these list what they name.
local NOUNS = set('members apps addons plans ps regions releases domains')
-- In the tools of these, a group such as `run` comes first and the verb last.
local GROUPS_FIRST = set('gh glab gcloud az oci ibmcloud doctl hcloud linode-cli circleci '
  .. 'argocd scw fly flyctl')
local REVEALING = set('--with-decryption --reveal --show-secrets --show-token --show-secret-values')
-- What is looked at: these are secrets.
local SECRET = set('secret secrets credential credentials token tokens password passwords login '
  .. 'key keys passphrase')

-- Splits a sub-command into its words, in lower case.
local function parts_of(word)
  local parts = {}
  local spaced = word:gsub('(%l)(%u)', '%1-%2'):lower()
  for part in spaced:gmatch('[%w]+') do
    parts[#parts + 1] = part
  end
  return parts
end

local function is_subcommand(word)
  if #word > 64 or not word:find('^%a[%w_:.-]*$') then
    return false
  end
  -- reset.css is a file; vm.destroy is not.
  local last = word:match('%.(%w+)$')
  return last == nil or REMOVING[last:lower()] ~= nil or STOPPING[last:lower()] ~= nil
    or LOOKING[last:lower()] ~= nil
end

--- Returns true if a sub-command has the shape of a removal: delete, db:reset, DeleteCluster.
---
--- Example: `verbs.removes('terminate-instances')`
---@param word string
---@return boolean
function M.removes(word)
  if not is_subcommand(word) then
    return false
  end
  local parts = parts_of(word)
  -- down, stop-instances, redis:restart
  if STOPPING[word:lower()] or #parts > 1 and (STOPPING[parts[1]]
    or word:find(':', 1, true) and STOPPING[parts[#parts]]) then
    return true
  end
  for _, part in ipairs(parts) do
    if REMOVING[part] then
      return true
    end
  end
  return false
end

--- Returns true if an option asks for a removal: --delete, --purge=x.
---
--- Example: `verbs.option_removes('--prune')`
---@param word string
---@return boolean
function M.option_removes(word)
  local name = word:match('^%-%-?(%a[%w-]*)')
  if not name or name:find('^no%-') or name:find('dry', 1, true) then
    return false
  end
  for _, part in ipairs(parts_of(name)) do
    if REMOVING[part] and part ~= 'expire' and part ~= 'rm'
      and part ~= 'fresh' then
      return true
    end
  end
  return false
end

--- Returns the sub-command and the operands of a command, as far as they are known, at most `most`.
---
--- Example: `verbs.operands(command, 4)`
---@param command CommandFacts
---@param most integer
---@return string[]
function M.operands(command, most)
  local words = {}
  for word in command.subcommand:gmatch('%S+') do
    words[#words + 1] = word
  end
  for _, index in ipairs(command.operands) do
    if #words >= most then
      break
    end
    words[#words + 1] = command.argv[index]
  end
  return words
end

--- Returns true if a command of a command-line tool only looks: `aws ec2 describe-instances`,
--- `gcloud compute instances list`, with no word before the looking one that changes something.
---
--- Example: `verbs.looks(command)`
---@param command CommandFacts
---@return boolean
function M.looks(command)
  if #command.argv == 1 then
    return false
  end
  local last = command.argv[#command.argv]
  if last == '--help' or last == '--version' or #command.argv == 2 and (last == '-h' or last == '-v'
    or last == '-V' or last == 'version') then
    return true
  end
  for at = 2, #command.argv do
    if REVEALING[command.argv[at]] then
      return false
    end
  end
  local words = M.operands(command, 4)
  if #words == 1 and NOUNS[words[1]] then
    return true
  end
  for at, word in ipairs(words) do
    -- In aws, the service comes first: aws logs put-retention-policy.
    local service = at == 1 and #words > 1 and command.program:find('^aws') ~= nil
    if word:find('[$`{]') or M.removes(word) then
      return false
    end
    local parts = parts_of(word)
    for _, part in ipairs(parts) do
      if SECRET[part] and parts[1] ~= 'list' and parts[1] ~= part then
        return false
      end
    end
    -- list, get-object, instances:list, ListBuckets
    local task = word:find(':', 1, true) ~= nil
    if not service and LOOKING[parts[task and #parts or 1]] then
      return command.program ~= 'bq' or word ~= 'query'
    end
    local group = at == 1 and #words > 1 and GROUPS_FIRST[command.program]
    if CHANGING[parts[task and #parts or 1]] and not group then
      return false
    end
  end
  return false
end

-- Programs of these tables change what is elsewhere.
local ELSEWHERE = { 'knowledge.clouds', 'knowledge.containers', 'knowledge.databases' }
local allowed, patterns, elsewhere

--- Collects the names of programs that rules allow, and of those that work elsewhere. The rules
--- that ask for them do this while they are read, because it takes too long for a command that is
--- being judged.
---
--- Example: `verbs.prepare()`
function M.prepare()
  allowed, patterns, elsewhere = {}, {}, {}
  local function note(name)
    local head = name:match('^([^*]*)%*')
    if head then
      patterns[#patterns + 1] = head
    else
      allowed[name] = true
    end
  end
  for _, rules in ipairs { require 'rules.building', require 'rules.everyday' } do
    for _, rule in ipairs(rules) do
      local names = rule.decision == 'allow' and rule.program or {}
      for _, each in ipairs(type(names) == 'table' and names or { names }) do
        for name in each:gmatch('%S+') do
          note(name)
        end
      end
    end
  end
  for _, module in ipairs(ELSEWHERE) do
    for names in pairs(require(module)) do
      for name in names:gmatch('%S+') do
        elsewhere[name] = true
      end
    end
  end
end

--- Returns true for a command of a program that is known to work on this machine: git, make,
--- eslint. What it removes is judged by its own rules.
---
--- Example: `verbs.is_local(command)`
---@param command CommandFacts
---@return boolean
function M.is_local(command)
  if not allowed then
    M.prepare()
  end
  local program = command.program
  if elsewhere[program] then
    return false
  end
  if command.known_program or allowed[program] then
    return true
  end
  for _, head in ipairs(patterns) do
    if head ~= '' and program:sub(1, #head) == head then
      return true
    end
  end
  return false
end

return M
