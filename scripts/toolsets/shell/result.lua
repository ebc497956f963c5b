-- The output of a command that has ended: long output is reduced to its beginning, its end and the
-- lines that look like errors.
local failure = require 'toolsets.failure'
local output_format = require 'toolsets.format.output'
local reading = require 'toolsets.reading'
local shaped = require 'toolsets.shaped'
local text = require 'toolsets.format.text'

local M = {}

local MAX_TOKENS = 200000
local BYTES_A_TOKEN = 4
-- An excerpt notes what it leaves out; below this size there is no room for the note.
local MIN_EXCERPT_BYTES = 4096

-- Returns the beginning and the end of a stream, in at most `bytes` bytes.
local function within(handle, stream, bytes)
  if bytes >= MIN_EXCERPT_BYTES then
    local tokens = math.min(MAX_TOKENS, math.floor(bytes / BYTES_A_TOKEN))
    local part = handle:excerpt { stream = stream, budget_tokens = tokens }
    return text.tail(part.text, bytes), part.complete and #part.text <= bytes
  end
  local first = handle:read { stream = stream, max_bytes = MIN_EXCERPT_BYTES }
  if not first.more and #first.text <= bytes then
    return first.text, true
  end
  local last = handle:tail { stream = stream, lines = MIN_EXCERPT_BYTES,
    max_bytes = MIN_EXCERPT_BYTES }
  local half = math.floor(bytes / 2)
  return text.head(first.text, half) .. text.tail(last.text, bytes - half), false
end

--- Returns the output of a command that has ended. Long output is reduced to its beginning, its end
--- and the lines that look like errors.
---
--- Example: `local data = result.data(handle, args.max_output_bytes)`
---@param handle Run
---@param max_bytes? integer of both streams
---@return table data
---@return boolean? cut something is left out, and the texts do not say so
function M.data(handle, max_bytes)
  local info = handle:info()
  local data = {
    run_id = handle.id, status = info.state, exit_code = info.exit_code, reason = info.reason,
    truncated = false, thrown_away = info.sandbox and info.sandbox.thrown_away,
  }
  if not max_bytes then
    local texts, complete = shaped.output(handle)
    data.stdout, data.stderr, data.truncated = texts.stdout, texts.stderr, not complete
    return data
  end
  local share = shaped.shares(info, max_bytes)
  for _, stream in ipairs(shaped.STREAMS) do
    local output, complete = within(handle, stream, share[stream])
    data[stream] = output
    data.truncated = data.truncated or not complete
  end
  return data, data.truncated
end

--- Returns the output of a command that has ended, as text: how it ended unless it ended well, why
--- it failed where the output does not show that, and how to read what is left out.
---
--- Example: `local text = result.text(data, 'read_process_output')`
---@param data table
---@param how string the call that reads what is left out
---@param cut? boolean
---@return string
function M.text(data, how, cut)
  local output = data.stdout
  if data.stderr ~= '' then
    output = text.ended(output) .. data.stderr
  end
  local handle = run.get(data.run_id)
  local refused = handle and output_format.sandbox_note(handle) or ''
  local notes = output_format.left_note(handle, 'it ends with this call') .. refused
  notes = notes .. (cut and '[output over max_output_bytes is left out]' or '')
  if data.truncated then
    notes = ('%s[%s reads what is left out]'):format(notes, how)
  end
  if data.status ~= 'completed' then
    local why = failure.beyond(output, { id = data.run_id, state = data.status }, reading.shell)
    data.error_excerpt = failure.field(why)
    notes = ('%s[%s]%s'):format(notes, data.reason or data.status, text.below(why))
  elseif notes == '' then
    return output ~= '' and output or '(no output)'
  end
  return text.ended(output) .. notes
end

return M
