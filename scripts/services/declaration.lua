-- Checks the declarations of services before anything starts.
local M = {}

local MAX_BEFORE = 32
local BYTE_ORDER_MARK = '\239\187\191'

local function wrong(service, field, expected)
  error(('service %s: %s: expected %s'):format(service.name or '?', field, expected), 0)
end

local SERVICE_FIELDS = {
  name = 'string', command = 'string', argv = 'table', cwd = 'string', env = 'table',
  executor = true, ports = 'table', limits = 'table', ready = 'table',
  ready_timeout_ms = 'number', after = 'table', restart = true,
}

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
local function field_of(path, service)
  local ready = service.ready or {}
  if path[1] ~= 'ready' then
    return table.concat(path, '.')
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
    local path = fault.path or {}
    local field = #path > 0 and (name_of and name_of(path) or field_of(path, service)) .. ': ' or ''
    error(('service %s: %s%s'):format(service.name, field, fault.problem or fault.message), 0)
  elseif fault then
    error(fault, 0)
  end
  for name, value in pairs(service.env or {}) do
    if name == '' or name:find '[=%z]' or value:find '%z' then
      wrong(service, 'env', 'names without = and no NUL bytes, got ' .. name)
    end
  end
end

local function check_words(service, argv)
  for index = 1, #argv do
    if type(argv[index]) ~= 'string' or argv[index]:find '%z' then
      wrong(service, ('argv[%d]'):format(index), 'a string without NUL bytes')
    end
  end
  if #argv == 0 or argv[1] == '' then
    wrong(service, 'argv', 'a program and its words')
  end
end

local function check_command(service)
  if (service.command == nil) == (service.argv == nil) then
    wrong(service, 'command', 'one of command and argv')
  elseif service.argv then
    check_words(service, service.argv)
  elseif service.command == '' or service.command:find '%z' then
    wrong(service, 'command', 'a line for the shell, without NUL bytes')
  end
  if service.cwd and service.cwd:find '%z' then
    wrong(service, 'cwd', 'a path without NUL bytes')
  end
end

local function check_after(service)
  local after = service.after or {}
  for index = 1, #after do
    if type(after[index]) ~= 'string' then
      wrong(service, ('after[%d]'):format(index), 'the name of a service')
    end
  end
  if #after > MAX_BEFORE then
    wrong(service, 'after', ('at most %d names'):format(MAX_BEFORE))
  end
end

local function check_service(service, index, name_of)
  if type(service) ~= 'table' then
    error(("service %d: expected a table, such as { name = 'web', command = 'npm start' }")
      :format(index), 0)
  elseif type(service.name) ~= 'string' or not service.name:find '^[%w_.-]+$' then
    error(('service %s: name: expected letters, digits, _ . and -')
      :format(type(service.name) == 'string' and service.name or index), 0)
  end
  for field, value in pairs(service) do
    local expected = SERVICE_FIELDS[field]
    if not expected then
      error(('service %s: there is no field %s'):format(service.name, tostring(field)), 0)
    elseif expected ~= true and type(value) ~= expected then
      wrong(service, field, 'a ' .. expected)
    end
  end
  check_command(service)
  check_after(service)
  check_options(service, name_of)
end

local function visit(service, by_name, known, state)
  if state[service.name] == 'done' then
    return
  elseif state[service.name] == 'open' then
    error(('service %s: after: it would wait for itself'):format(service.name), 0)
  end
  state[service.name] = 'open'
  for _, name in ipairs(service.after or {}) do
    if by_name[name] then
      visit(by_name[name], by_name, known, state)
    elseif not known[name] then
      error(('service %s: after: there is no service %s'):format(service.name, name), 0)
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
      wrong(service, 'name', 'another one: there are two of this name')
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
