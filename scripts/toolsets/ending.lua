-- Ends a run wherever it is: in memory, queued, or executed by another process. What the tools that
-- stop one have in common.
local any_run = require 'toolsets.any_run'
local checked = require 'toolsets.checked'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local memory_run = require 'toolsets.memory_run'

local M = {}

---@class Ending
---@field id string
---@field info RunInfo how it stands now
---@field before RunInfo how it stood
---@field stopped boolean false: it had ended before
---@field report? KillReport nil: memory does not have the run
---@field text? string nil: it had ended before

--- Ends a run and what it started. Ends the call when there is none, or it cannot be ended.
---
--- Example: `local ending = ending.of(args.id, { signal = 'SIGTERM', reading = reading.bg })`
---@param id string or a label
---@param options { signal?: string, grace_ms?: integer, reading: fun(id: string): string }
---@return Ending
function M.of(id, options)
  local info, handle = any_run.known(id)
  if not handle then
    local how, text = any_run.kill_recorded(info, options.signal)
    info.state = how == 'killed' and 'killed' or info.state
    return { id = info.id, info = info, before = info, stopped = how ~= nil, text = how and text }
  end
  handle = memory_run.newest(handle)
  local before = handle:info() or info
  local report = checked(handle:kill { signal = options.signal, grace_ms = options.grace_ms })
  tool.tells(info.id)
  tool.tells(handle.id)
  local ending = {
    id = info.id, info = handle:info() or before, before = before, report = report,
    stopped = report.how ~= 'gone' or before.state == 'queued',
  }
  if not before.ended_ms or report.how ~= 'gone' or #report.survivors > 0 then
    local signal = options.signal or 'SIGTERM'
    ending.text = format.kill_text(info.id, before, signal, report, options.reading)
  end
  return ending
end

--- Returns the answer of a tool that ends runs: what was done, or that the run had ended before.
---@param ending Ending
---@param data table of the answer
---@param how fun(id: string): string
---@return { text: string, data: table }
function M.answer(ending, data, how)
  if ending.text then
    return { text = ending.text, data = data }
  end
  local info = ending.info
  local why = failure.of(info, how)
  data.error_excerpt = failure.field(why)
  local text = 'Process %s is not running (%s: %s)%s'
  return {
    text = text:format(info.id, info.state, info.reason or 'ended', format.below(why)), data = data,
  }
end

return M
