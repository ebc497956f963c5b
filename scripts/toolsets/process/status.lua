-- How a process of the toolset `process` reads.
local text = require 'toolsets.format.text'

local M = {}

--- The fields of a process.
M.FIELDS = {
  pid = schema.string { description = 'Process ID for status, output and stop' },
  os_pid = schema.integer {},
  command = schema.string {},
  status = schema.string { enum = { 'running', 'exited' } },
  state = schema.string { description = 'How it ended, in one word' },
  exit_code = schema.integer { optional = true },
  reason = schema.string { optional = true },
  started_ms = schema.integer { optional = true, description = 'Unix time' },
  runtime_ms = schema.integer {},
  output_path = schema.string { optional = true },
}

--- Returns the data of a process.
---@param info RunInfo
---@return table status
function M.of(info)
  return {
    pid = info.id, os_pid = info.pid, command = info.command, state = info.state,
    status = info.ended_ms and 'exited' or 'running', exit_code = info.exit_code,
    reason = info.reason, started_ms = info.started_ms, runtime_ms = info.runtime_ms,
    output_path = info.log and info.log[1].path,
  }
end

--- Returns the line of a process.
---@param status table
---@return string
function M.line(status)
  local how = status.state == 'queued' and 'queued' or status.status
  if how == 'exited' then
    local by_itself = status.state == 'completed' or status.state == 'failed'
    how = status.exit_code and ('code %d'):format(status.exit_code)
    local why = not (by_itself and how) and (status.reason or status.state) or nil
    how = ('exited (%s)'):format(how and why and how .. ', ' .. why or how or why)
  end
  return ('%s: %s, runtime %s, os pid %d: %s'):format(
    status.pid, how, text.seconds(status.runtime_ms), status.os_pid,
    text.one_line(status.command)
  )
end

return M
