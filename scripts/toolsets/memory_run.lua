-- Runs that are in memory, by their id. any_run also finds the others.
local checked = require 'toolsets.checked'

local M = {}

--- The states of a run that has not ended.
M.GOES_ON = { queued = true, starting = true, running = true }

--- Returns the run with this id, or ends the call with run_not_found.
---
--- Example: `local handle = memory_run.find(args.id)`
---@param id string
---@return Run
function M.find(id)
  return checked(run.get(id))
end

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

--- Returns the current run of a command that was started with this id. Ends the call with
--- run_not_found.
---
--- Example: `local handle = memory_run.find_newest(args.process_id)`
---@param id string
---@return Run
function M.find_newest(id)
  return M.newest(M.find(id))
end

return M
