-- The argument `until` of the tools of `lean`: a few words instead of an object, because its
-- definition is sent with every request of a model.
local start_until = require 'toolsets.start_until'

local M = {}

local QUIET_MS = 500
local MAX_PORT = 65535

local FULL = { type = 'object', properties = start_until.UNTIL.properties,
  additionalProperties = false, ['x-rare'] = true }

--- The schema of the argument.
---@param description? string
---@return Schema
function M.schema(description)
  return schema.one_of({ schema.string {}, FULL }, {
    description = description, optional = true,
  })
end

-- Returns the object whose JSON the text is; nil for other text, such as a regex of a line of JSON.
local function object_of(text)
  local object = text:match '^%s*{.+}%s*$' and json.decode(text)
  for name, value in pairs(object or {}) do
    local shape = FULL.properties[name]
    if not shape then
      return nil
    elseif type(value) == 'string' and shape.type ~= 'string' then
      object[name] = json.decode(value) or value
    end
  end
  local good, err = pcall(schema.check, object, FULL, 'args.until')
  if object and not good then
    tool.error('invalid_arguments', (tostring(err):gsub('^[^ ]+:%d+: ', '')))
  end
  return object
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
--- Example: `local asked = until_text.read(args['until'], args.timeout, ctx.session)`
---@param given? string|table
---@param timeout? number ms
---@param session string
---@return table?
function M.read(given, timeout, session)
  if not given then
    return nil
  end
  local asked = type(given) == 'string' and (object_of(given) or parse(given)) or given
  asked.timeout = asked.timeout or timeout
  asked.brief, asked.session = true, session
  start_until.check(asked)
  return asked
end

return M
