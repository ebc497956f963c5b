-- The words of which sub-commands are made that remove or stop something, for rules about
-- databases.
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

return M
