-- The argument `from` of `job output`: a stream, or both merged, and an offset in it, as one word,
-- because only notes name it and its definition is sent to no model.
local M = {}

local MAX_OFFSET = 2 ^ 53
local STREAMS = { stdout = true, stderr = true, merged = true }

M.SCHEMA = schema.string {
  description = 'output: STREAM:OFFSET to read on from, as a note names it', optional = true,
  rare = true,
}

--- Returns the stream and the offset. Ends the call with invalid_arguments when it is none.
---
--- Example: `local stream, offset = from_text.read 'stderr:10'`
---@param given string
---@return 'stdout'|'stderr'|'merged' stream
---@return integer offset
function M.read(given)
  local stream, digits = given:match '^(%a+):(%d+)$'
  local offset = tonumber(digits)
  if not STREAMS[stream] or offset > MAX_OFFSET then
    tool.error('invalid_arguments', ("args.from: expected 'merged:OFFSET', 'stdout:OFFSET' or "
      .. "'stderr:OFFSET', got '%s'"):format(given))
  end
  return stream, offset
end

return M
