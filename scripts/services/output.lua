-- Passes on the output of a service line by line as it comes. A turn costs more than a line, so a
-- turn takes many lines when there is much output.
local M = {}

local STREAMS = { 'stdout', 'stderr' }
local MAX_LINE_BYTES = 16 * 1024
local CHUNK_BYTES = 256 * 1024
-- A service that writes less than this at a time is read at most once in PAUSE_MS.
local LITTLE_BYTES = 4 * 1024
local PAUSE_MS = 40

-- Returns the offset of the unfinished last line, which the cleaned text cannot tell because its
-- length differs. Returns nil when more output has come since the part was read.
local function last_line_start(handle, stream, part)
  local last = handle:tail { stream = stream, lines = 1, max_bytes = 1 }
  if not last or last.to ~= part.to then
    return nil
  end
  return last.gap and last.gap.from or last.from
end

-- Returns the text after a gap, from its first whole line, and a line that says what is missing.
local function skip_gap(part, rest)
  local begin = part.text:match '^[^\n]*\n()' or 1
  local lost = part.gap.to - part.gap.from + #rest + begin - 1
  return part.text:sub(begin), ('[gibbous: %d bytes left out]'):format(lost)
end

-- Appends the whole lines of a text to `lines`, and returns where the rest begins.
local function split(text, lines)
  local begin = 1
  local stop = text:find('\n', begin, true)
  while stop do
    lines[#lines + 1] = text:sub(begin, stop - 1)
    begin = stop + 1
    stop = text:find('\n', begin, true)
  end
  return begin
end

-- Passes on the lines since `from`, advances it, and returns the number of bytes. With `partial` it
-- also passes on a last line without a newline.
local function read_lines(handle, stream, from, partial, on_lines)
  local rest, first = '', from[stream]
  local floor = first
  repeat
    local lines = {}
    local part = handle:read { stream = stream, since = from[stream], max_bytes = CHUNK_BYTES }
    if not part then
      return 0
    end
    local text = part.text
    if part.gap then
      text, lines[#lines + 1] = skip_gap(part, rest)
      rest, floor = '', part.from
    end
    text = rest .. text
    rest = text:sub(split(text, lines))
    from[stream] = part.to
    local more = part.more
    if #rest > MAX_LINE_BYTES or (rest ~= '' and partial and not more) then
      lines[#lines + 1] = rest
      rest, floor = '', part.to
    elseif rest ~= '' and not more then
      local start = last_line_start(handle, stream, part)
      from[stream] = start and math.max(start, floor) or part.to
      more = start == nil
    end
    if #lines > 0 then
      on_lines(stream, lines)
    end
  until not more
  return from[stream] - first
end

local function has_ended(answer)
  if not answer or not answer.ok then
    return true
  end
  for _, fired in ipairs(answer.fired) do
    if fired.kind == 'exit' then
      return true
    end
  end
  return false
end

--- Passes the lines of a run to a function, several at a time, until the run has ended. A line such
--- as `[gibbous: 9 bytes left out]` stands for output that came too fast.
---
--- Example: `output.follow(handle, function(stream, lines) log.info(stream .. #lines) end)`
---@param handle Run
---@param on_lines fun(stream: 'stdout'|'stderr', lines: string[])
function M.follow(handle, on_lines)
  local from = { stdout = 0, stderr = 0 }
  local function pass_on(partial)
    local sum = 0
    for _, stream in ipairs(STREAMS) do
      sum = sum + read_lines(handle, stream, from, partial, on_lines)
    end
    return sum
  end
  local looked_at = -PAUSE_MS
  repeat
    local conditions = { wait.exit(handle) }
    for _, stream in ipairs(STREAMS) do
      local options = { stream = stream, since = from[stream] }
      conditions[#conditions + 1] = wait.regex(handle, '^', options)
    end
    local ended = has_ended(handle:wait { any = conditions })
    local bytes = pass_on(ended)
    if not ended and bytes == 0 then
      pass_on(true) -- a prompt: a line without an end
    end
    local now = time.monotonic_ms()
    if not ended and bytes < LITTLE_BYTES and now - looked_at < PAUSE_MS then
      time.sleep(PAUSE_MS)
    end
    looked_at = time.monotonic_ms()
  until ended
end

return M
