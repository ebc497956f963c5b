-- The text for a statusline: how many runs go on, how many failed, and which services are ready.
-- luacheck: std luajit, globals vim
local config = require 'gibbous_nvim.config'
local runs = require 'gibbous_nvim.runs'

local M = {}

local REDRAW_MS = 100 -- the shortest time between two drawings

local text, is_drawing = '', false

local FAILED = { failed = true, timeout = true, lost = true }

local function compose()
  local marks = config.current.statusline
  local running, failed, services = 0, 0, {}
  for _, run in ipairs(runs.newest()) do
    running = running + (run.ended and 0 or 1)
    failed = failed + (FAILED[run.state] and 1 or 0)
    if not run.ended and run.label and run.readiness then
      services[#services + 1] = run.label .. marks[run.readiness]
    end
  end
  local parts = {}
  if running > 0 then
    parts[#parts + 1] = running .. marks.running
  end
  if failed > 0 then
    parts[#parts + 1] = failed .. marks.failed
  end
  vim.list_extend(parts, services)
  -- A label is text, not an item of the statusline.
  return (table.concat(parts, ' '):gsub('%%', '%%%%'))
end

--- Composes the text anew, and has the statuslines drawn soon.
function M.refresh()
  text = compose()
  if is_drawing then
    return
  end
  is_drawing = true
  vim.defer_fn(function()
    is_drawing = false
    vim.cmd 'redrawstatus!'
  end, REDRAW_MS)
end

--- Returns the text.
---@return string
function M.text()
  return text
end

return M
