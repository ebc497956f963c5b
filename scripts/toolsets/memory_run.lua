-- Runs that are in memory. any_run also finds the others.
local M = {}

--- The states of a run that has not ended.
M.GOES_ON = { queued = true, starting = true, running = true }

--- Returns the current run of a command: the last restart of this run, if there was one.
---
--- Example: `handle = memory_run.newest(handle)`
---@param handle Run
---@return Run
function M.newest(handle)
  local info = handle:info()
  local restart = info and info.next and run.get(info.next)
  while restart do
    handle = restart
    info = handle:info()
    restart = info and info.next and run.get(info.next)
  end
  return handle
end

return M
