-- What bg_output answers with `grep`: the lines that match, in memory or, where that has dropped
-- some, in the journal.
local shaped = require 'toolsets.shaped'
local text = require 'toolsets.format.text'

local M = {}

-- Ends the call with an error of the core; a wrong pattern is named by its argument.
local function check(value, err)
  if not value then
    local wrong = err.code == 'invalid_arguments'
    tool.error(err.code, wrong and err.message:gsub('^pattern', 'args.grep') or err.message)
  end
  return value
end

-- Whether memory has all of these streams.
local function is_whole(handle, streams)
  local info = handle:info()
  for _, stream in ipairs(streams) do
    local part = handle:read { stream = stream, since = 0, max_bytes = 1 }
    if part.gap or info[stream].kept_from > 0 then
      return false
    end
  end
  return true
end

-- Whether memory has forgotten in which order the first lines came.
local function lacks_order(handle)
  return handle:read({ stream = 'merged', since = 0, max_bytes = 1 }).gap ~= nil
end

-- Returns true when the journal has fewer lines than were printed: it is behind, cannot be written,
-- or has a limit.
local function lacks_lines(found, handle, streams)
  local info = handle:info()
  for _, stream in ipairs(streams) do
    if found[stream].lines < info[stream].lines then
      return true
    end
  end
  return false
end

local function matches_of(found, streams)
  local matches = 0
  for _, stream in ipairs(streams) do
    matches = matches + found[stream].matches
  end
  return matches
end

-- Returns what is found in each of these streams in memory.
local function in_memory(handle, streams, options)
  local found = {}
  for _, stream in ipairs(streams) do
    options.stream = stream
    found[stream] = check(handle:grep(options))
  end
  return found
end

-- Says what was not searched, and that nothing was found.
local function caveats_of(found, handle, streams)
  local notes, matches = {}, 0
  for _, stream in ipairs(streams) do
    local of = found[stream]
    local missing = handle and handle:info()[stream].bytes - of.bytes or 0
    matches = matches + of.matches
    notes[#notes + 1] = missing > 0 and ('[%d bytes of %s could not be searched: they are not kept]'
      ):format(missing, stream == 'merged' and 'its output' or stream) or nil
    notes[#notes + 1] = of.long_lines > 0 and ('[%s longer than 64 KiB: the beginning was searched]'
      ):format(text.count(of.long_lines, 'line')) or nil
  end
  for _, lost in ipairs(not handle and found.lost or {}) do
    notes[#notes + 1] = ('[not searched: %s]'):format(lost)
  end
  if matches == 0 then
    table.insert(notes, 1, '[no line matches]')
  end
  return text.ended(table.concat(notes, '\n'))
end

-- Returns what is found in each of these streams. Where the journal cannot be asked, both streams
-- apart may have more in memory than the merged text, which begins where the order is known.
local function search(handle, id, streams, options)
  if not handle or not is_whole(handle, streams) then
    options.stream = streams[1] == 'merged' and 'merged' or nil
    local found, err = journal.grep(id, options)
    if found and handle and lacks_lines(found, handle, streams) then
      local kept = in_memory(handle, streams, options)
      return matches_of(kept, streams) > matches_of(found, streams) and kept or found
    elseif found or not handle or err.code == 'invalid_arguments' then
      return check(found, err)
    end
    if options.stream == 'merged' and lacks_order(handle) then
      streams = shaped.STREAMS
    end
  end
  return in_memory(handle, streams, options)
end

--- Returns the answer of bg_output for `grep`.
---@param handle? Run nil: only the journal knows it
---@param id string
---@param args table
---@param max_bytes integer of both streams
---@return string text
---@return table<string, GrepResult> found
---@return string caveats the end of the text: what was not searched
function M.answer(handle, id, args, max_bytes)
  local streams = args.stream == 'both' and shaped.STREAMS or { args.stream }
  local found = search(handle, id, streams, {
    pattern = args.grep, context = args.context, max_bytes = math.floor(max_bytes / #streams),
  })
  if streams[1] == 'merged' and not found.merged then
    streams = shaped.STREAMS
  end
  local sections, shown = {}, {}
  for _, stream in ipairs(streams) do
    local of = found[stream]
    local left = of.matches - of.shown
    local note = left > 0 and ('[%d more of %d matches: narrow grep]\n'):format(left, of.matches)
      or ''
    sections[#sections + 1] = ('[%s]\n%s%s'):format(stream, of.text, note)
    shown[stream] = of
  end
  local caveats = caveats_of(found, handle, streams)
  return table.concat(sections) .. caveats, shown, caveats
end

return M
