-- How runs and their output read as text and as data, for all toolsets. The parts are modules of
-- their own: text, status and output.
local failure = require 'toolsets.failure'
local output = require 'toolsets.format.output'
local status = require 'toolsets.format.status'
local text = require 'toolsets.format.text'

local M = {
  STATUS = status.SCHEMA, status_line = status.line, status_into_data = status.into_data,
  usages = status.usages,

  section = output.section, tails = output.tails,
  refusal_note = output.refusal_note, left_note = output.left_note,
  sandbox_note = output.sandbox_note, kept_note = output.kept_note,

  seconds = text.seconds, head = text.head, tail = text.tail, cut = text.cut,
  one_line = text.one_line,
  ended = text.ended, below = text.below,
}

--- Returns a note on where the mapped ports of a run can be reached, or ''.
---@param info RunInfo
---@return string
function M.ports_note(info)
  local parts = {}
  for index, mapping in ipairs(info.ports or {}) do
    parts[index] = ('%d is port %d of %s'):format(
      mapping.port, mapping.host, info.address or 'this machine')
  end
  return #parts > 0 and '\nPorts: ' .. table.concat(parts, ', ') or ''
end

--- Describes the outcome of a kill.
---@param id string
---@param info RunInfo from before the kill
---@param signal string
---@param report KillReport
---@param how fun(id: string, stream?: string, from?: integer): string reads its output
---@return string
function M.kill_text(id, info, signal, report, how)
  local lines
  if info.state == 'queued' then
    local said = info.restart_of and 'Process %s is not started again'
      or 'Process %s was ended before it started'
    lines = { said:format(id) }
  elseif info.ended_ms then
    local said = 'Process %s had ended already (%s); killed what it left behind: %d'
    local ending = info.state
    if info.reason and info.state ~= 'completed' then
      ending = ending .. ': ' .. info.reason
    end
    lines = { said:format(id, ending, report.dead) .. text.below(failure.of(info, how)) }
  else
    local said = 'Process %s killed (was running for %s)'
    lines = { said:format(id, text.seconds(info.runtime_ms)) }
  end
  if report.how == 'escalated' then
    lines[2] = ('It did not end on %s; SIGKILL ended it.'):format(signal)
  elseif report.how == 'survivors' then
    lines[2] = 'These processes could not be ended: ' .. table.concat(report.survivors, ', ')
  elseif #report.survivors > 0 then
    lines[#lines + 1] = 'These processes hide to which run they belong, and may be of this one. '
      .. 'They end with Gibbous: ' .. table.concat(report.survivors, ', ')
  end
  if report.unseen then
    lines[#lines + 1] = '/proc cannot be read: what left the process group of the run may live on.'
  end
  if report.cleanup_failed then
    lines[#lines + 1] = 'What it started elsewhere could not be ended, and may live on.'
  end
  return table.concat(lines, '\n')
end

return M
