-- Why a run failed: its first errors and last lines, in a few hundred bytes, and why it was silent
-- if that has ended it. Every answer that tells of a failure has them, whether memory knows the run
-- or the journal alone does.
local buffering = require 'toolsets.buffering'
local memory_run = require 'toolsets.memory_run'
local text = require 'toolsets.format.text'

local M = {}

local function is_failure(info)
  return not memory_run.GOES_ON[info.state] and info.state ~= 'completed'
end

local IS_NAME = { ['…'] = true, ['stdout:'] = true, ['stderr:'] = true }

-- Returns a note on the lines that an excerpt leaves out; '' when it has all of them.
local function rest_of(said, handle, id, how)
  local shown = 0
  for line in said:gmatch '[^\n]+' do
    shown = shown + (IS_NAME[line] and 0 or 1)
  end
  local info = handle and handle:info()
  local all = info and info.stdout.lines + info.stderr.lines
  local is_numbered = ('\n' .. said):find '\n%d+[:-]'
  if not (said:find('…', 1, true) or is_numbered and (not all or shown < all)) then
    return ''
  end
  return ('[%d of %s: %s]\n'):format(shown, all and text.count(all, 'line') or 'its lines',
    all and how(id, 'merged', 0) or how(id))
end

-- Returns what a run that has ended said, why it was silent, and what is left out of that.
local function parts_of(info, how)
  local handle = run.get(info.id)
  local said = handle and handle:error_excerpt() or not handle and journal.error_excerpt(info.id)
    or ''
  return said, handle and M.silence(handle) or '', rest_of(said, handle, info.id, how)
end

--- Returns why a run was silent, as a line; '' where nothing is known.
---@param handle Run
---@return string
function M.silence(handle)
  return text.ended(buffering.note(handle))
end

--- Returns the first errors and last lines of a run that has ended, well or not, and why it was
--- silent, with a note on what that leaves out.
---
--- Example: `local last = failure.of_end(handle:info(), reading.bg)`
---@param info RunInfo
---@param how fun(id: string, stream?: string, from?: integer): string the call that reads the rest
---@return string
function M.of_end(info, how)
  local said, silence, rest = parts_of(info, how)
  return said .. silence .. rest
end

--- Returns the lines that say why a run failed, each ended by a newline; '' when it goes on, did
--- not fail or said nothing.
---
--- Example: `local why = failure.of(handle:info(), reading.bg)`
---@param info RunInfo
---@param how fun(id: string, stream?: string, from?: integer): string the call that reads the rest
---@return string
function M.of(info, how)
  return is_failure(info) and M.of_end(info, how) or ''
end

-- Whether the text has every line of an excerpt, which may have numbers before them.
local function has_all(shown, excerpt)
  for line in excerpt:gmatch '[^\n]+' do
    local known = IS_NAME[line] or shown:find(line, 1, true)
    for part in line:gsub('^%d+[:-]', ''):gsub('…', '\0'):gmatch '%Z+' do
      if not known and not shown:find(part, 1, true) then
        return false
      end
    end
  end
  return true
end

--- Returns the same, without what it said if the text of the answer shows all of that already.
---
--- Example: `local why = failure.beyond(printed, info, reading.bg)`
---@param printed string
---@param info RunInfo
---@param how fun(id: string, stream?: string, from?: integer): string the call that reads the rest
---@return string
function M.beyond(printed, info, how)
  if not is_failure(info) then
    return ''
  end
  local said, silence, rest = parts_of(info, how)
  return has_all(printed, said) and silence or said .. silence .. rest
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

--- Returns the value of that field, which has no note.
---
--- Example: `data.error_excerpt = failure.field(why)`
---@param why string
---@return string?
function M.field(why)
  why = why:gsub('%[%d+ of [^\n]*lines?: [^\n]*%]\n$', '')
  return why ~= '' and why or nil
end

return M
