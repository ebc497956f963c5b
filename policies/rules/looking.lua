-- Whether a command only looks at things: used by rules/reading.lua. Stricter than only_reads in
-- what it allows to be in doubt (nothing), and wider in that it lets output go to /dev/null.
local LOOKS = { read = true, enter = true }

local function is_harmless(access)
  for _, class in ipairs(access.classes) do
    if class == 'harmless_device' then
      return true
    end
  end
  return false
end

--- Tells whether a command touches paths only to look at them, as the user, on this machine.
---
--- Example: a rule with `test = looking`
---@param command CommandFacts
---@return boolean
return function(command)
  if #command.doubts > 0 or command.privileged or command.remote then
    return false
  end
  for _, access in ipairs(command.accesses) do
    if not LOOKS[access.access] and not is_harmless(access) then
      return false
    end
  end
  return true
end
