-- Reads the part of a stream that bg_output returns: new output, the last lines, or output that an
-- earlier call skipped. Answers are small and the end matters most, so what does not fit is skipped
-- at the beginning.
local M = {}

local MAX_KEPT_BYTES = 2 * 1024 * 1024
M.DEFAULT_LINES = 50

--- The largest number of lines that a call can ask for.
M.MAX_LINES = 1000000

---@class BgPart
---@field text string
---@field lost? Gap what is not kept any more, before the text
---@field gaps? Gap[] the same inside of merged text, where lines in brackets name it
---@field skipped? Gap what is there, and was left out
---@field more boolean it goes on after `to`
---@field to integer offset to go on from
---@field by_offset? boolean no reader goes on by itself

-- Returns the gap of a stream after an offset: bytes that are no longer kept. Merged output names
-- those that are missing inside of it where they are.
local function lost_since(handle, stream, offset)
  local kept_from = handle:info()[stream].kept_from
  if kept_from <= offset then
    return nil
  end
  local kept = handle:read { stream = stream, since = offset, max_bytes = MAX_KEPT_BYTES }
  if stream == 'merged' then
    return kept.gap
  end
  local from = kept.gap and kept.gap.from or kept.to -- the first bytes of a stream are always kept
  return from < kept_from and { from = from, to = kept_from } or nil
end

--- Returns what a reader has not seen yet; only the end of it when it is too much.
---
--- Example: `local part = bg_read.new(handle, 'stdout', 'mine', 8000)`
---@param handle Run
---@param stream 'stdout'|'stderr'
---@param reader string
---@param max_bytes integer
---@param lines? integer at most so many, from the end
---@return BgPart
function M.new(handle, stream, reader, max_bytes, lines)
  local whole = handle:read { stream = stream, reader = reader, max_bytes = max_bytes }
  local from = whole.gap and whole.gap.from or whole.from
  local unread = handle:info()[stream].bytes - from
  if lines or unread > max_bytes then
    local last = handle:tail {
      stream = stream, lines = lines or M.MAX_LINES, max_bytes = max_bytes,
    }
    if last.from > from then
      handle:tail { stream = stream, lines = 0, reader = reader } -- marks everything as read
      local lost = lost_since(handle, stream, from)
      local readable = lost and lost.from <= from and lost.to or from
      return {
        text = last.text, lost = lost, more = false, to = last.to,
        skipped = last.from > readable and { from = readable, to = last.from } or nil,
        gaps = last.gaps,
      }
    end
  end
  return {
    text = whole.text, lost = whole.gap, gaps = whole.gaps, more = whole.more, to = whole.to,
  }
end

--- Returns the last lines and marks everything as read.
---
--- Example: `local part = bg_read.last(handle, 'stdout', 'mine', 8000, 50)`
---@param handle Run
---@param stream 'stdout'|'stderr'
---@param reader string
---@param max_bytes integer
---@param lines? integer default: 50
---@return BgPart
function M.last(handle, stream, reader, max_bytes, lines)
  local last = handle:tail {
    stream = stream, lines = lines or M.DEFAULT_LINES, max_bytes = max_bytes, reader = reader,
  }
  local lost = lost_since(handle, stream, 0)
  return {
    text = last.text, lost = lost, gaps = last.gaps, skipped = last.gap, more = false,
    to = last.to,
  }
end

--- Returns the output after an offset. No reader moves.
---
--- Example: `local part = bg_read.from(handle, 'stdout', 65536, 8000)`
---@param handle Run
---@param stream 'stdout'|'stderr'
---@param offset integer
---@param max_bytes integer
---@return BgPart
function M.from(handle, stream, offset, max_bytes)
  local part = handle:read { stream = stream, since = offset, max_bytes = max_bytes }
  return {
    text = part.text, lost = part.gap, gaps = part.gaps, more = part.more, to = part.to,
    by_offset = true,
  }
end

return M
