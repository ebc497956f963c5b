-- Checks the declarations of services before anything starts.
local M = {}

local MAX_BEFORE = 32
local BYTE_ORDER_MARK = '\239\187\191'

-- What run.start does not check.
local any = schema.any { optional = true }
local SERVICE = schema.object {
  name = schema.string { pattern = '^[A-Za-z0-9_.-]+$' },
  after = schema.array(schema.string(), { max_items = MAX_BEFORE, optional = true }),
  ready = schema.any { optional = true }, ready_timeout_ms = schema.number { optional = true },
  command = any, argv = any, cwd = any, env = any, executor = any, ports = any, limits = any,
  restart = any,
}

-- Raises what is wrong with a field of a service; without a field, with the whole of it.
local function wrong(name, field, problem)
  error(('service %s: %s%s'):format(name, field and field .. ': ' or '', problem), 0)
end

-- run.start has the default timeout.
local function ready_of(service)
  local ready, timeout_ms = service.ready, service.ready_timeout_ms
  if not ready or not timeout_ms then
    return ready
  elseif ready.any or ready.all then
    return { any = ready.any, all = ready.all, timeout_ms = timeout_ms }
  end
  return { any = ready.kind and { ready } or ready, timeout_ms = timeout_ms }
end

--- Returns the options of run.start for a service, without `after`.
---
--- Example: `local handle = run.start(declaration.start_options(service))`
---@param service Service
---@return RunStartOptions
function M.start_options(service)
  return {
    command = service.command, argv = service.argv, cwd = service.cwd, env = service.env,
    executor = service.executor, ports = service.ports, limits = service.limits,
    ready = ready_of(service), restart = service.restart,
  }
end

-- Names the field of the declaration that an option of run.start comes from.
local function field_of(path, field, service)
  local ready = service.ready or {}
  if path[1] ~= 'ready' then
    return field
  elseif path[2] == 'timeout_ms' and service.ready_timeout_ms then
    return 'ready_timeout_ms'
  elseif #path < 3 then
    return 'ready'
  end
  local alone = ready.kind or #(ready.any or ready.all or ready) == 1
  local list = alone and 'ready' or ('ready[%d]'):format(path[3])
  return path[4] and list .. ': ' .. path[4] or list
end

local function check_options(service, name_of)
  local good, known, err = pcall(run.check, M.start_options(service))
  local fault = not good and known or not known and err
  if type(fault) == 'table' then
    local field = fault.field and fault.field ~= '' and (name_of and name_of(fault.path)
      or field_of(fault.path, fault.field, service))
    wrong(service.name, field, fault.problem or fault.message)
  elseif fault then
    error(fault, 0)
  end
end

local function check_service(service, index, name_of)
  if type(service) ~= 'table' then
    error(("service %d: expected a table, such as { name = 'web', command = 'npm start' }")
      :format(index), 0)
  end
  local name = type(service.name) == 'string' and service.name or index
  local good, err = pcall(schema.check, service, SERVICE, '')
  if not good then
    wrong(name, nil, err.problem or err)
  end
  check_options(service, name_of)
end

local function visit(service, by_name, known, state)
  if state[service.name] == 'done' then
    return
  elseif state[service.name] == 'open' then
    wrong(service.name, 'after', 'it would wait for itself')
  end
  state[service.name] = 'open'
  for _, name in ipairs(service.after or {}) do
    if by_name[name] then
      visit(by_name[name], by_name, known, state)
    elseif not known[name] then
      wrong(service.name, 'after', 'there is no service ' .. name)
    end
  end
  state[service.name] = 'done'
end

--- Checks declarations. Raises an error that names the service and the field.
---
--- Example: `services.check { { name = 'web', command = 'npm start' } }`
---@param list Service[]
---@param known? table<string, any> what else `after` may name, by name
---@param name_of? fun(path: (string|integer)[]): string? names fields of run.start in errors
function M.check(list, known, name_of)
  local by_name = {}
  for index, service in ipairs(list) do
    check_service(service, index, name_of)
    if by_name[service.name] then
      wrong(service.name, 'name', 'two services have this name')
    end
    by_name[service.name] = service
  end
  local state = {}
  for _, service in ipairs(list) do
    visit(service, by_name, known or {}, state)
  end
end

--- Returns the services of a Procfile: one `name: command` a line. Raises an error for other lines.
---
--- Example: `services.parse_procfile('web: npm start\nworker: npm run worker\n')`
---@param text string
---@return Service[]
function M.parse_procfile(text)
  local list = {}
  local number = 0
  text = text:gsub('^' .. BYTE_ORDER_MARK, '')
  for line in (text .. '\n'):gmatch '(.-)\r?\n' do
    number = number + 1
    local name, command = line:match '^%s*([%w_.-]+)%s*:%s*(.-)%s*$'
    if name and command ~= '' then
      list[#list + 1] = { name = name, command = command }
    elseif line:find '%S' and not line:find '^%s*#' then
      error(('line %d: expected NAME: COMMAND, got %s'):format(number, line), 0)
    end
  end
  return list
end

return M
