-- Checks which process owns the port that made a service ready: a listening port alone does not say
-- which program listens.
local M = {}

-- Returns the ports of this machine in the readiness conditions of a service.
local function ports_of(ready)
  local ports = {}
  for _, condition in ipairs(ready.kind and { ready } or ready.any or ready.all or ready) do
    if condition.kind == 'port' and not condition.run and not condition.host then
      ports[#ports + 1] = condition.port
    end
  end
  return ports
end

--- Returns a warning when a service counts as ready by a port that none of its processes listens
--- on; nil when one does, or when that cannot be known, as with an executor.
---
--- Example: `local doubt = service_port.doubt(service, handle)`
---@param service Service
---@param handle Run
---@return string?
function M.doubt(service, handle)
  local ports = service.ready and ports_of(service.ready) or {}
  local info = #ports > 0 and handle:info()
  local usage = info and not info.executor and handle:usage()
  if not usage then
    return nil
  end
  local own = {}
  for _, each in ipairs(usage.ports) do
    own[each.port] = true
  end
  local foreign, some_own = nil, false
  for _, port in ipairs(ports) do
    foreign = foreign or (not own[port] and port) or nil
    some_own = some_own or own[port]
  end
  if not foreign or (some_own and not service.ready.all) then
    return nil
  end
  return ('port %d listens, but none of its processes does: another program may have it')
    :format(foreign)
end

return M
