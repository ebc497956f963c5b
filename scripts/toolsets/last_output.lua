-- The last lines of a process, how it stands when it has ended, and why it failed, as `process` and
-- `background` show them.
local any_run = require 'toolsets.any_run'
local buffering = require 'toolsets.buffering'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local marks = require 'toolsets.marks'
local shaped = require 'toolsets.shaped'

---@class LastOutputOptions
---@field session string which knows the lines then
---@field only? 'stdout'|'stderr'
---@field how? string the way to read what does not fit
---@field reading fun(id: string): string the call that reads all

-- So many lines are shown where a call may not have asked for a number.
local M = { DEFAULT_LINES = 50 }

-- Returns the last lines of a run that only the journal knows.
local function recorded(info, lines, options)
  local texts, cut = { stdout = '', stderr = '' }, false
  if info.state ~= 'queued' then
    local record = { id = info.id, last_seq = any_run.last_seq(info.id) }
    cut = any_run.add_recorded_tails(texts, record, lines)
  end
  local left_out, sections = shaped.clip(texts), {}
  for _, stream in ipairs(shaped.STREAMS) do
    if not options.only or options.only == stream then
      sections[#sections + 1] = format.section(stream, { text = texts[stream] })
    end
  end
  local note = cut and options.all and ('[earlier lines: %s]\n'):format(options.all) or ''
  note = left_out > 0 and ('[%d bytes before these left out]\n'):format(left_out) or note
  return table.concat(sections) .. note, texts, left_out > 0
end

-- Says how a run stands, unless it simply goes on; then why it is silent.
local function state_note(info, why, hint)
  if info.ended_ms then
    return ('[%s]%s'):format(info.reason or info.state, format.below(why))
  end
  return info.state == 'queued' and ('[queued: %s]'):format(info.reason or '') or hint or ''
end

--- Returns the last lines of a run, which its session knows then.
---
--- Example: `last_output.of(info, handle, 50, { session = ctx.session, reading = reading.bg })`
---@param info RunInfo
---@param handle? Run nil: only the journal knows the run
---@param lines integer of each stream
---@param options LastOutputOptions
---@return string text
---@return { stdout: string, stderr: string } texts
---@return string why it failed, where the lines do not show that
---@return string? hint why it is silent
function M.of(info, handle, lines, options)
  options.all = lines == M.DEFAULT_LINES and options.reading(info.id) or nil
  local text, texts, cut
  if handle then
    text, texts, cut = format.tails(handle, lines, options)
    marks.tell(handle, options.session, 'lines')
  else
    text, texts, cut = recorded(info, lines, options)
  end
  local why = failure.beyond(text, info, options.reading)
  if why == '' and cut and handle then
    text = text .. failure.errors(handle, text)
  end
  local is_silent = handle and not info.ended_ms and texts.stdout .. texts.stderr == ''
  local hint = is_silent and buffering.hint(handle) or nil
  return text .. state_note(info, why, hint), texts, why, hint
end

return M
