-- Which processes could still make a condition of the toolset `background` true.
local any_run = require 'toolsets.any_run'
local own_runs = require 'toolsets.own_runs'

local M = { MAX = 60 } -- processes that one wait looks at

--- Returns information on a run, even if the run has been forgotten since.
---@param id string
---@return RunInfo
function M.facts(id)
  local handle = run.get(id)
  return handle and handle:info()
    or { id = id, state = 'lost', reason = 'not remembered any more', left_behind = 0 }
end

--- Returns the runs of the session whose leader still runs. A service can outlive the shell that
--- started it.
---@param owner Owner
---@return RunInfo[]
function M.still_running(owner)
  local running = {}
  for _, info in ipairs(own_runs.alive(owner)) do
    if not info.ended_ms then
      running[#running + 1] = info
    end
  end
  return running
end

--- Returns the processes whose output is searched: the named one; otherwise the running ones,
--- newest first, and those that completed. If none runs, all are searched.
---@param owner Owner
---@param id? string
---@return RunInfo[]
function M.with_output(owner, id)
  if id then
    return { (any_run.known(id)) }
  end
  local all = own_runs.list(owner)
  local some_run = #own_runs.alive(owner) > 0
  local running, ended = {}, {}
  for index = #all, 1, -1 do
    local info = all[index]
    if not info.ended_ms or info.left_behind > 0 then
      running[#running + 1] = info
    elseif not some_run or info.state == 'completed' then
      ended[#ended + 1] = info
    end
  end
  if #running + #ended == 0 then
    tool.error('invalid_arguments', 'args.output_regex: there is no background process to look '
      .. 'at; start one with run_background')
  end
  for index = 1, math.min(#ended, math.max(0, M.MAX - #running)) do
    running[#running + 1] = ended[index]
  end
  return running
end

--- Returns the id while the process, or one that it left behind, still runs.
---@param id? string
---@return string?
function M.while_it_runs(id)
  local handle = id and run.get(id)
  local info = handle and handle:info()
  return info and (not info.ended_ms or info.left_behind > 0) and id or nil
end

return M
