-- The shaper: output and lists within the budget of one answer. Hosts cut longer answers, and lose
-- their end or their middle; so what does not fit is chosen here, and named.
local text = require 'toolsets.format.text'

local M = {}

--- The size of an answer, in characters or, to be sure, in bytes, unless a call asks for another.
M.MAX_CHARS = 8000

--- Output of a run up to this size is shown whole.
M.WHOLE_BYTES = 2000

--- The same of one that is not ready yet, for a set of tools that says little.
M.BRIEF_BYTES = 240

-- More of it is shown as its beginning and its end, each of this part.
local END_PART = 0.45
-- What notes and states around the output may take.
local NOTES_BYTES = 400
local BYTES_A_TOKEN = 4
-- The same with the largest excerpt of errors.
local MAX_BESIDE_BYTES = 900
local MIN_EXCERPT_BYTES = 40
local MIN_TOKENS = 20
-- The lines of a list are cut down to this before any is left out.
local LINE_BYTES = 200
local MIN_LINE_BYTES = 20

M.STREAMS = { 'stdout', 'stderr' }

--- Returns how much of an answer's budget output may take. Where some may have to be left out,
--- notes and an excerpt of errors take the rest.
---
--- Example: `local bytes = shaped.output_bytes(handle:info(), shaped.MAX_CHARS)`
---@param info RunInfo
---@param budget integer
---@return integer output_bytes
---@return integer excerpt_bytes
function M.output_bytes(info, budget)
  local beside = math.floor(math.min(MAX_BESIDE_BYTES, budget / 3))
  local excerpt = math.max(MIN_EXCERPT_BYTES, math.floor(beside * 2 / 3))
  local fits = info.stdout.bytes + info.stderr.bytes <= budget - NOTES_BYTES
  return fits and budget or budget - beside, excerpt
end

--- Divides a number of bytes between stdout and stderr: half each, or what the other leaves.
---
--- Example: `local share = shaped.shares(handle:info(), 8000)`
---@param info RunInfo
---@param bytes integer
---@return { stdout: integer, stderr: integer }
function M.shares(info, bytes)
  local half = math.floor(bytes / 2)
  local stderr = math.min(info.stderr.bytes, math.max(half, bytes - info.stdout.bytes))
  return { stdout = bytes - stderr, stderr = stderr }
end

--- Returns the output of a command that has ended, by stream: all of it, or its beginning, its end
--- and the lines that look like errors, with a note for each range between them.
---
--- Example: `local texts, complete = shaped.output(handle)`
---@param handle Run
---@return { stdout: string, stderr: string } texts
---@return boolean complete
function M.output(handle)
  local info = handle:info()
  local share = M.shares(info, (M.output_bytes(info, M.MAX_CHARS)))
  local texts, complete = {}, true
  for _, stream in ipairs(M.STREAMS) do
    local tokens = math.max(MIN_TOKENS, math.floor(share[stream] / BYTES_A_TOKEN))
    local part = handle:excerpt { stream = stream, budget_tokens = tokens }
    texts[stream] = part.text
    complete = complete and part.complete
  end
  return texts, complete
end

-- Returns the whole lines at the beginning of merged output, and the offset after them.
local function beginning(handle, from, max_bytes)
  local raw = handle:read { stream = 'merged', since = from, max_bytes = max_bytes, raw = true }
  local lines = raw.text:match '^.*\n'
  local is_exact = lines and #raw.text == raw.to - raw.from
  local to = is_exact and from + #lines or raw.to
  return handle:read({ stream = 'merged', since = from, max_bytes = to - from }).text, to
end

--- Returns the output of both streams that a reader has not seen: all of it or, of a lot, the
--- beginning and the end, with a note of the call that reads what is between.
---
--- Example: `local text, last = shaped.ends(handle, 'until', reading.bg)`
---@param handle Run
---@param reader string
---@param how fun(id: string, stream: string, from: integer): string
---@param whole_bytes? integer what is shown whole; default: WHOLE_BYTES
---@return string text
---@return string last without the note, for data: all of it, or its end
function M.ends(handle, reader, how, whole_bytes)
  local whole = whole_bytes or M.WHOLE_BYTES
  local share = math.floor(whole * END_PART)
  local part = handle:read { stream = 'merged', reader = reader, max_bytes = whole }
  if not part.more and not part.gap then
    return part.text, part.text
  end
  local last = handle:tail {
    stream = 'merged', lines = share, max_bytes = share, reader = reader,
  }
  local first, to = '', part.from
  if not part.gap then
    first, to = beginning(handle, part.from, share)
  end
  local lines = last.first_line - select(2, first:gsub('\n', ''))
  local bytes = last.from - (part.gap and part.gap.from or to)
  local size = part.from == 0 and lines > 0 and text.count(lines, 'line') or bytes .. ' bytes'
  local place = part.gap and 'before' or 'between'
  return ('%s[%s %s: %s]\n%s'):format(
    text.ended(first), size, place, how(handle.id, 'merged', to), last.text), last.text
end

local function size_of(lines)
  local size = 0
  for _, line in ipairs(lines) do
    size = size + #line + 1
  end
  return size
end

-- Cuts the middle of a line, where its command is; how the run stands is at either end.
local function cut_line(line)
  if #line <= LINE_BYTES then
    return line
  end
  local half = math.floor(LINE_BYTES / 2)
  return text.head(line, half) .. '…' .. text.tail(line, half)
end

local function is_over(info)
  return info.ended_ms ~= nil and (info.left_behind or 0) == 0
end

--- Returns the lines of a list as one text. When they do not fit, long ones are cut, then the
--- oldest runs that have ended are left out, and a note says so. Lines that are not shown are not
--- asked for.
---
--- Example: `local text = shaped.list(line_of, infos, 'bg_status with id')`
---@param line_of fun(index: integer): string the line of a run
---@param infos RunInfo[] oldest first
---@param how string the call that tells of one run
---@return string
function M.list(line_of, infos, how)
  local budget = M.MAX_CHARS - NOTES_BYTES
  local lines = setmetatable({}, { __index = function(known, index)
    local line = line_of(index)
    rawset(known, index, line)
    return line
  end })
  local size = 0
  for index = #infos, 1, -1 do
    size = size + #lines[index] + 1
    if size > budget then
      break
    end
  end
  if size <= budget then
    return table.concat(lines, '\n')
  end
  local kept, shown = {}, {}
  size = 0
  for _, over in ipairs { false, true } do -- those that go on come first
    for index = #infos, 1, -1 do
      if size + MIN_LINE_BYTES > budget then
        break
      end
      if is_over(infos[index]) == over then
        local line = cut_line(lines[index])
        if size + #line < budget then
          size = size + #line + 1
          kept[index] = line
        end
      end
    end
  end
  for index = 1, #infos do
    shown[#shown + 1] = kept[index]
  end
  local left_out = #infos - #shown
  if left_out > 0 then
    table.insert(shown, 1, ('[%d older ones left out: %s tells of one]'):format(left_out, how))
  end
  return table.concat(shown, '\n')
end

--- Returns lines as one text, each with why its run failed below it. Reasons that do not fit are
--- left out, and a note says how many.
---
--- Example: `local text = shaped.with_reasons({ 'a failed' }, { 'error: full\n' }, 'bg_status')`
---@param lines string[]
---@param reasons string[] '' or lines, each ended by a newline
---@param how string the call that tells of one run
---@return string
function M.with_reasons(lines, reasons, how)
  local left, shown, left_out = M.MAX_CHARS - NOTES_BYTES - size_of(lines), {}, 0
  for index, line in ipairs(lines) do
    left = left - #reasons[index]
    if left < 0 and reasons[index] ~= '' then
      left = left + #reasons[index]
      left_out = left_out + 1
      shown[index] = line
    else
      shown[index] = line .. text.below(reasons[index])
    end
  end
  if left_out > 0 then
    shown[#shown + 1] = ('[why %d more failed is left out: %s tells]'):format(left_out, how)
  end
  return table.concat(shown, '\n')
end

--- Returns the last bytes of all texts within the budget, and the bytes that are left out.
---
--- Example: `local left = shaped.clip(texts)`
---@param texts table<'stdout'|'stderr'|'merged', string> 'merged' alone, or any of the others;
--- changed
---@return integer left_out
function M.clip(texts)
  local info = {
    stdout = { bytes = #(texts.stdout or texts.merged or '') },
    stderr = { bytes = #(texts.stderr or '') },
  }
  local share = M.shares(info, (M.output_bytes(info, M.MAX_CHARS)))
  local left_out = 0
  for stream, whole in pairs(texts) do
    texts[stream] = text.tail(whole, share[stream] or share.stdout)
    left_out = left_out + #whole - #texts[stream]
  end
  return left_out
end

return M
