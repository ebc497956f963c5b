-- The background runs of a toolset, and the limit on how many run at the same time.
local M = {}

-- Starts that are still under way, by toolset and session; they count towards the limit.
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

local function count(owner, key)
  local running = pending[key] or 0
  for _, info in ipairs(M.list(owner)) do
    running = running + (info.state == 'running' and 1 or 0)
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
  if count(owner, key) >= owner.max then
    tool.error('too_many_runs', ('Max concurrent background processes (%d) reached. %s'):format(
      owner.max, owner.hint
    ))
  end
  options.detach = true
  options.on_host_death = 'kill'
  pending[key] = (pending[key] or 0) + 1
  local ok, handle, err = pcall(run.start, options)
  pending[key] = pending[key] - 1
  if not ok then
    error(handle, 0)
  end
  if not handle then
    tool.error(err.code, err.message)
  end
  return handle
end

return M
