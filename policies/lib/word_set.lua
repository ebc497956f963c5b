-- Sets of words, written as one text. Used by verbs.lua and by rules.
local M = {}

--- Returns the words of a text as the keys of a table.
---
--- Example: `word_set.of('push pull').push` is true
---@param text string words between blanks
---@return table<string, true>
function M.of(text)
  local found = {}
  for word in text:gmatch('%S+') do
    found[word] = true
  end
  return found
end

return M
