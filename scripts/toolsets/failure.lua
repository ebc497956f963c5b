-- Why a run failed: its first errors and last lines, in a few hundred bytes, and why it was silent
-- if that has ended it. Every answer that tells of a failure has them, whether memory knows the run
-- or the journal alone does.
local buffering = require 'toolsets.buffering'
local memory_run = require 'toolsets.memory_run'

local M = {}

local function is_failure(info)
  return not memory_run.GOES_ON[info.state] and info.state ~= 'completed'
end

-- Returns what a run that has ended said, and why it was silent.
local function parts_of(info)
  local handle = run.get(info.id)
  if not handle then
    return journal.error_excerpt(info.id) or '', ''
  end
  local silence = buffering.note(handle)
  return handle:error_excerpt() or '', silence ~= '' and silence .. '\n' or ''
end

--- Returns the first errors and last lines of a run that has ended, well or not, and why it was
--- silent.
---
--- Example: `local last = failure.of_end(handle:info())`
---@param info RunInfo
---@return string
function M.of_end(info)
  local said, silence = parts_of(info)
  return said .. silence
end

--- Returns the lines that say why a run failed, each ended by a newline; '' when it goes on, did
--- not fail or said nothing.
---
--- Example: `local why = failure.of(handle:info())`
---@param info RunInfo
---@return string
function M.of(info)
  return is_failure(info) and M.of_end(info) or ''
end

-- Whether the text has every line of an excerpt, which may have numbers before them.
local function has_all(text, excerpt)
  for line in excerpt:gmatch '[^\n]+' do
    local name = line == '…' or line == 'stdout:' or line == 'stderr:'
    local bare = line:gsub('^%d+[:-]', ''):gsub('…$', '')
    if not name and not text:find(line, 1, true) and not text:find(bare, 1, true) then
      return false
    end
  end
  return true
end

--- Returns the same, without what it said if the text of the answer shows all of that already.
---
--- Example: `local why = failure.beyond(printed, info)`
---@param text string
---@param info RunInfo
---@return string
function M.beyond(text, info)
  if not is_failure(info) then
    return ''
  end
  local said, silence = parts_of(info)
  return (has_all(text, said) and '' or said) .. silence
end

--- Returns the lines that look like errors of a run of which an answer skips a part; '' when there
--- are none, or the text has them already.
---
--- Example: `text = text .. failure.errors(handle, text)`
---@param handle Run
---@param shown string
---@param max_bytes? integer default: 600
---@return string
function M.errors(handle, shown, max_bytes)
  local found = handle:error_excerpt { max_bytes = max_bytes } or ''
  local has_errors = found:find '^%d+:' or found:find '\n%d+:'
  return has_errors and not has_all(shown, found) and '[errors, by line]\n' .. found or ''
end

--- The field of an answer's data.
M.FIELD = schema.string { optional = true, description = 'Its first errors and last lines' }

--- Returns the value of that field.
---
--- Example: `data.error_excerpt = failure.field(why)`
---@param why string
---@return string?
function M.field(why)
  return why ~= '' and why or nil
end

return M
