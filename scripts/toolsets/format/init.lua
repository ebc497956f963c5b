-- How runs and their output read as text and as data, for all toolsets. The parts are modules of
-- their own: text, status and output.
local failure = require 'toolsets.failure'
local memory_run = require 'toolsets.memory_run'
local output = require 'toolsets.format.output'
local status = require 'toolsets.format.status'
local text = require 'toolsets.format.text'

local M = {
  find = memory_run.find, find_newest = memory_run.find_newest,

  STATUS = status.SCHEMA, status_line = status.line, status_into_data = status.into_data,
  usages = status.usages,

  section = output.section, tails = output.tails,
  refusal_note = output.refusal_note,
  sandbox_note = output.sandbox_note,

  seconds = text.seconds, head = text.head, tail = text.tail, one_line = text.one_line,
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
---@return string
function M.kill_text(id, info, signal, report)
  local lines
  if info.state == 'queued' then
    local said = info.restart_of and 'Process %s is not started again'
      or 'Process %s was ended before it started'
    lines = { said:format(id) }
  elseif info.ended_ms then
    local said = 'Process %s had ended already (%s); killed what it left behind: %d'
    local how = info.state
    if info.reason and info.state ~= 'completed' then
      how = how .. ': ' .. info.reason
    end
    lines = { said:format(id, how, report.dead) .. text.below(failure.of(info)) }
  else
    local said = 'Process %s killed (was running for %s)'
    lines = { said:format(id, text.seconds(info.runtime_ms)) }
  end
  if report.how == 'escalated' then
    lines[2] = ('It did not end on %s; SIGKILL ended it.'):format(signal)
  elseif report.how == 'survivors' then
    lines[2] = 'These processes could not be ended: ' .. table.concat(report.survivors, ', ')
  end
  if report.cleanup_failed then
    lines[#lines + 1] = 'What it started elsewhere could not be ended, and may live on.'
  end
  return table.concat(lines, '\n')
end

return M
