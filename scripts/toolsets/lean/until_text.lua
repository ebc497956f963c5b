-- The argument `until` of the tools of `lean`: a few words instead of an object, because its
-- definition is sent with every request of a model.
local start_until = require 'toolsets.start_until'

local M = {}

local QUIET_MS = 500
local MAX_PORT = 65535

--- The schema of the argument.
---@param description? string
---@return Schema
function M.schema(description)
  local full = { type = 'object', properties = start_until.UNTIL.properties,
    additionalProperties = false, ['x-rare'] = true }
  return schema.one_of({ schema.string {}, full }, {
    description = description, optional = true,
  })
end

-- Returns the conditions that the words name.
local function parse(text)
  local port = text:match '^port (%d+)$'
  local quiet = text:match '^quiet (%d+)$'
  if text == 'exit' or text == 'input' then
    return { [text] = true }
  elseif text == 'quiet' or quiet then
    return { quiet = tonumber(quiet) or QUIET_MS }
  elseif port then
    if tonumber(port) < 1 or tonumber(port) > MAX_PORT then
      tool.error('invalid_arguments', 'args.until: expected a port from 1 to 65535, got ' .. port)
    end
    return { port = tonumber(port) }
  elseif text:match '^https?://%S+$' then
    return { http = text }
  end
  return { line = text }
end

--- Returns the argument in the form of `until` of bg_start, checked; nil without one.
---
--- Example: `local asked = until_text.read(args['until'], args.timeout)`
---@param given? string|table
---@param timeout? number ms
---@return table?
function M.read(given, timeout)
  if not given then
    return nil
  end
  local asked = type(given) == 'string' and parse(given) or given
  asked.timeout = asked.timeout or timeout
  asked.brief = true
  start_until.check(asked)
  return asked
end

return M
