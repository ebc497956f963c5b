-- How the answer of `safe_shell` reads.
local failure = require 'toolsets.failure'
local format = require 'toolsets.format.output'
local reading = require 'toolsets.reading'
local text = require 'toolsets.format.text'

--- Returns the answer as text.
---@param data table
---@param keep_alive integer s
---@param problem? string of a file
---@return string
return function(data, keep_alive, problem)
  local shown = data.output
  if data.stderr then
    shown = ('[stdout]\n%s[stderr]\n%s'):format(text.ended(data.output), data.stderr)
  end
  local left = format.left_note(run.get(data.id), 'it ends with this call')
  local notes = { left ~= '' and left or nil }
  if not data.complete then
    local file = data.stdout_path
    notes[#notes + 1] = file and ('[all of it is in %s]'):format(file)
      or '[give stdout_file to keep what is left out]'
  end
  if data.state == 'timeout' then
    notes[#notes + 1] = ('[killed (SIGKILL) after keep_alive = %d s]'):format(keep_alive)
  elseif data.state ~= 'completed' then
    notes[#notes + 1] = ('[%s]'):format(data.reason or data.state)
  end
  local why = failure.beyond(shown, data, reading.bg)
  data.error_excerpt = failure.field(why)
  notes[#notes + 1] = why ~= '' and why:gsub('\n$', '') or nil
  notes[#notes + 1] = problem and ('[%s]'):format(problem)
  if #notes > 0 then
    return text.ended(shown) .. table.concat(notes, '\n')
  end
  return shown ~= '' and shown or '(no output)'
end
