-- The background runs of a toolset, and the limit on how many run at the same time.
local checked = require 'toolsets.checked'

local M = {}

-- Starts that are still under way, by toolset and session: how many, and the running runs whose
-- start has returned.
---@type table<string, { number: integer, returned: table<string, true> }>
local pending = {}

---@class Owner
---@field toolset string
---@field tools table<string, true> names of the tools that start in the background
---@field session string
---@field max integer runs at the same time
---@field hint string what to do when there are as many

--- Returns information on the owner's runs, oldest first.
---
--- Example: `local infos = own_runs.list(owner)`
---@param owner Owner
---@return RunInfo[]
function M.list(owner)
  local own = {}
  for _, info in ipairs(run.list { session = owner.session }) do
    if info.background and owner.tools[info.tool] then
      own[#own + 1] = info
    end
  end
  return own
end

--- Returns those that still have processes, even if their leader has ended.
---
--- Example: `local alive = own_runs.alive(owner)`
---@param owner Owner
---@return RunInfo[]
function M.alive(owner)
  local alive = {}
  for _, info in ipairs(M.list(owner)) do
    if info.state == 'running' or info.left_behind > 0 then
      alive[#alive + 1] = info
    end
  end
  return alive
end

local function running_ids(owner)
  local ids = {}
  for _, info in ipairs(M.list(owner)) do
    if info.state == 'running' then
      ids[info.id] = true
    end
  end
  return ids
end

-- A run is listed before its start returns, so that it would count twice: while starts are under
-- way, only runs whose start has returned count beside them.
local function count(owner, starts)
  local running = starts and starts.number or 0
  for id in pairs(running_ids(owner)) do
    running = running + ((not starts or starts.returned[id]) and 1 or 0)
  end
  return running
end

--- Starts a run that belongs to the session and ends with Gibbous. Ends the call with too_many_runs
--- when the owner has reached its limit, or with the error of the start.
---
--- Example: `local handle = own_runs.start(owner, { command = args.command })`
---@param owner Owner
---@param options RunStartOptions
---@return Run
function M.start(owner, options)
  local key = owner.toolset .. ' ' .. owner.session
  if count(owner, pending[key]) >= owner.max then
    tool.error('too_many_runs', ('Max concurrent background processes (%d) reached. %s'):format(
      owner.max, owner.hint
    ))
  end
  options.detach = true
  options.on_host_death = 'kill'
  local starts = pending[key] or { number = 0, returned = running_ids(owner) }
  pending[key] = starts
  starts.number = starts.number + 1
  local ok, handle, err = pcall(run.start, options)
  starts.number = starts.number - 1
  if starts.number == 0 then
    pending[key] = nil
  end
  if not ok then
    error(handle, 0)
  end
  checked(handle, err)
  starts.returned[handle.id] = true
  return handle
end

return M
