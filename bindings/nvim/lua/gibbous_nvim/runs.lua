-- What is known of the runs of this editor, from the events of its runtimes.
-- luacheck: std luajit, globals vim
local M = {}

local MAX_ENDED = 200 -- runs that have ended and are remembered

---@class gibbous_nvim.Run
---@field id string
---@field rt gibbous.Runtime
---@field label? string
---@field command string
---@field state string running, completed, failed, killed, timeout, lost
---@field ended? boolean
---@field pid integer
---@field cwd? string where it was started, for relative paths in its output
---@field readiness? 'pending'|'ready'|'not_ready' whether it is ready, if that is known
---@field exit_code? integer
---@field reason? string why it has ended, as a sentence
---@field runtime_ms? number
---@field started_ns number of vim.loop.hrtime()
---@field order integer counts the runs

---@type table<string, gibbous_nvim.Run>
local by_id = {}
local count = 0
local listeners = {}
local cwds = {} -- of runs that are being started, by id

--- Calls a function after each change, with the run.
---@param fn fun(run: gibbous_nvim.Run)
function M.on_change(fn)
  table.insert(listeners, fn)
end

--- Returns all runs, the oldest first.
---@return gibbous_nvim.Run[]
function M.list()
  local list = vim.tbl_values(by_id)
  table.sort(list, function(one, other) return one.order < other.order end)
  return list
end

local function forget_old()
  local ended = vim.tbl_filter(function(run) return run.ended end, M.list())
  for index = 1, #ended - MAX_ENDED do
    by_id[ended[index].id] = nil
  end
end

local function changed(run)
  for _, listener in ipairs(listeners) do
    listener(run)
  end
end

local function of_event(rt, event)
  local run = by_id[event.run]
  if not run then
    count = count + 1
    run = {
      id = event.run, rt = rt, order = count, command = '', state = 'running', pid = 0,
      started_ns = vim.loop.hrtime(), cwd = cwds[event.run],
    }
    cwds[event.run] = nil
    by_id[event.run] = run
  end
  run.label, run.command = event.label or run.label, event.command or run.command
  return run
end

local READINESS = { run_ready = 'ready', ready = 'ready', run_not_ready = 'not_ready' }

--- Takes an event of a runtime.
---@param rt gibbous.Runtime
---@param event table
function M.on_event(rt, event)
  if not event.run then
    return
  end
  local run = of_event(rt, event)
  run.readiness = READINESS[event.event] or run.readiness
  if event.event == 'run_started' or event.event == 'run_adopted' then
    run.state, run.pid = 'running', event.pid
  elseif event.event == 'run_ended' then
    run.ended, run.state, run.exit_code = true, event.state, event.exit_code
    run.reason, run.runtime_ms = event.reason, event.runtime_ms
    forget_old()
  end
  changed(run)
end

--- Notes where a run was started. Its events may come before or after.
---@param id string
---@param cwd string
function M.set_cwd(id, cwd)
  if by_id[id] then
    by_id[id].cwd = cwd
  else
    cwds[id] = cwd
  end
end

--- Notes whether a service is ready, where no event says so.
---@param id string
---@param readiness 'pending'|'ready'|'not_ready'
function M.set_readiness(id, readiness)
  if by_id[id] then
    by_id[id].readiness = readiness
    changed(by_id[id])
  end
end

--- Returns what two runs of the same thing have in common: the label or, without one, the command.
---@param run gibbous_nvim.Run
---@return string
function M.key(run)
  return run.label or run.command
end

--- Returns the newest run of each key, the oldest first.
---@return gibbous_nvim.Run[]
function M.newest()
  local list, newest = M.list(), {}
  for _, run in ipairs(list) do
    newest[M.key(run)] = run
  end
  return vim.tbl_filter(function(run) return newest[M.key(run)] == run end, list)
end

--- Finds a run by its id, the beginning of one, or its label. When several fit, it is the one that
--- still runs, or else the newest. Without a name, it is the newest of all. Returns nil and a
--- sentence when there is none.
---@param name? string
---@return gibbous_nvim.Run?
---@return string? problem
function M.find(name)
  local list = M.list()
  if not name or name == '' then
    return list[#list], 'there is no run yet; :Gibbous start COMMAND makes one'
  end
  local found
  for _, run in ipairs(list) do
    if run.id == name then
      return run
    end
    local is_meant = run.label == name or vim.startswith(run.id, name)
    if is_meant and (not found or found.ended or not run.ended) then
      found = run
    end
  end
  return found, ('there is no run "%s"; the runs are %s'):format(name,
    #list > 0 and table.concat(M.names(), ', ') or 'none')
end

--- Returns the names that find() knows: labels, and the ids of runs that have none.
---@return string[]
function M.names()
  local names, seen = {}, {}
  for _, run in ipairs(M.list()) do
    local name = run.label or run.id
    if not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
  return names
end

--- Returns how a run stands, for people: "running 12s", "failed: exit code 1 after 2.1s".
---@param run gibbous_nvim.Run
---@return string
function M.standing(run)
  if not run.ended then
    return ('running %ds'):format((vim.loop.hrtime() - run.started_ns) / 1e9)
  end
  return ('%s: %s after %.1fs'):format(run.state, run.reason or '', (run.runtime_ms or 0) / 1000)
end

return M
