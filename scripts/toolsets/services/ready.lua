-- The argument `ready` of a service: when it counts as ready.
local condition = require 'toolsets.condition'

local M = {}

M.SCHEMA = schema.object({
  port = schema.integer {
    minimum = 1, maximum = 65535, optional = true, description = 'TCP port that listens',
  },
  output_regex = schema.string {
    optional = true, description = 'RE2 that a line of its output matches',
  },
  http = schema.string { optional = true, description = 'URL (http://) that answers 2xx or 3xx' },
  file = schema.string { optional = true, description = 'Path that exists' },
  exit = schema.boolean { optional = true, description = 'It has ended with exit code 0' },
}, { optional = true, description = 'All of these (default: it runs)' })

-- The conditions that SCHEMA can ask for: the argument, and how to make a condition from it.
local CONDITIONS = {
  { 'port', function(port) return { kind = 'port', port = port } end },
  { 'output_regex', function(regex) return { kind = 'regex', pattern = regex } end },
  { 'http', function(url) return { kind = 'http', url = url } end },
  { 'file', function(path, ctx)
    return { kind = 'file', path = condition.path(path, ctx) }
  end },
  { 'exit', function(wanted) return wanted and { kind = 'exit' } or nil end },
}

--- Returns the conditions that the argument `ready` of a service asks for; nil when there are none.
---
--- Example: `service.ready = ready.conditions(asked.ready, ctx, args.timeout)`
---@param asked? table
---@param ctx Ctx
---@param timeout_ms integer
---@return { all: table[], timeout_ms: integer }?
function M.conditions(asked, ctx, timeout_ms)
  local all = {}
  for _, entry in ipairs(CONDITIONS) do
    local value = asked and asked[entry[1]]
    if value ~= nil then
      all[#all + 1] = entry[2](value, ctx)
    end
  end
  return #all > 0 and { all = all, timeout_ms = timeout_ms } or nil
end

--- Returns the name in SCHEMA of a field of a condition, for services.check.
---@param path (string|integer)[] of a wrong field
---@return string?
function M.argument_of(path)
  local names = { pattern = 'output_regex', url = 'http' }
  return path[1] == 'ready' and path[4] and 'ready: ' .. (names[path[4]] or path[4]) or nil
end

return M
