-- The arguments of the game. Wrong ones end it with a sentence on stderr.

local M = {}

M.USAGE = [[
usage: love examples/love [OPTION VALUE]...
  --prefix DIR      where Gibbous is installed, when that is not where Lua looks by itself
  --library FILE    libgibbous.so.0, when it is not in that installation
  --mode MODE       permission mode (auto)
  --workspace DIR   where runs start (the current directory)
  --state DIR       where runs are remembered (as for the command gibbous)
  --script FILE     plays the steps of a file instead of waiting for a player (script.lua)
]]

local NAMES = {
  ['--prefix'] = 'prefix', ['--library'] = 'library', ['--mode'] = 'mode',
  ['--workspace'] = 'workspace', ['--state'] = 'state', ['--script'] = 'script',
}

--- Reads the arguments of the game.
---@param given string[]
---@return table<string, string>? options by name, without the dashes
---@return string? message what was wrong with them
---
--- Example: `options.read { '--mode', 'plan' }` returns `{ mode = 'plan' }`.
function M.read(given)
  local options = { mode = 'auto' }
  for at = 1, #given, 2 do
    local name = NAMES[given[at]]
    if not name then
      return nil, given[at] .. ': there is no such option\n' .. M.USAGE
    elseif not given[at + 1] then
      return nil, given[at] .. ': expected a value after it\n' .. M.USAGE
    end
    options[name] = given[at + 1]
  end
  return options
end

return M
