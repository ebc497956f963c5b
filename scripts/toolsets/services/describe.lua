-- How the services of a call read.
local failure = require 'toolsets.failure'
local reading = require 'toolsets.reading'
local service_port = require 'services.port'
local services = require 'services'

local M = {}

local STATES = { ready = 'ready', pending = 'not ready yet', failed = 'not ready' }

--- Adds the names of services to a table, by the ids of all their runs.
---@param handles table<string, Run> by name
---@param names table<string, string> by id
---@return table<string, string> names
function M.add_names(handles, names)
  for name, handle in pairs(handles) do
    while handle do
      names[handle.id] = name
      local info = handle:info()
      handle = info and info.next and run.get(info.next)
    end
  end
  return names
end

--- Returns the state of a service, as data and as a line.
---@param service Service
---@param handle? Run nil: it was not started
---@param problem? string why not
---@param names table<string, string> of services, by the ids of their runs
---@return table data
---@return string line
function M.service(service, handle, problem, names)
  local name = service.name
  if not handle then
    return { name = name, state = 'failed', ready = false, reason = problem },
      ('%s: not started: %s'):format(name, problem)
  end
  local info = handle:info()
  if not info then
    return { name = name, id = handle.id, state = 'lost', ready = false, reason = 'is forgotten' },
      ('%s: id=%s is not remembered any more'):format(name, handle.id)
  end
  local running = info.state == 'running'
  local ready = info.readiness == 'ready' or (info.readiness == nil and running)
  local data = {
    name = name, id = info.id, pid = info.pid, state = info.state, ready = ready,
    reason = info.reason and services.with_names(info.reason, names), restarts = info.restarts,
  }
  local parts = { ('%s: id=%s pid=%d state=%s'):format(name, info.id, info.pid, info.state) }
  parts[#parts + 1] = (info.restarts or 0) > 0 and ('%d restarts'):format(info.restarts) or nil
  parts[#parts + 1] = info.readiness and ('%s (%s)'):format(
    STATES[info.readiness], services.with_names(info.readiness_note or 'waiting', names))
  parts[#parts + 1] = data.reason and 'reason: ' .. data.reason or nil
  parts[#parts + 1] = ready and service_port.doubt(service, handle) or nil
  return data, table.concat(parts, ', ')
end

--- Returns the first errors and last lines of a service that is not in the expected state, or ''.
---@param data table of M.service
---@param handle? Run
---@return string
function M.why(data, handle)
  local known = handle and handle:info()
  if not known or data.ready or data.state == 'completed' or data.state == 'queued' then
    return ''
  end
  return failure.of(known, reading.bg)
end

return M
