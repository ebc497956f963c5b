-- The list of the runs in a buffer: <CR> shows a log, x ends a run, q closes the window.
-- luacheck: std luajit, globals vim
local runs = require 'gibbous_nvim.runs'
local tail_buffer = require 'gibbous_nvim.tail_buffer'

local M = {}

local tail
local listed = {} -- the runs, by line

-- Returns the lines of the list, and notes which run each shows.
local function lines()
  local list = runs.list()
  listed = {}
  local made = {}
  for index = #list, 1, -1 do
    local run = list[index]
    local name = run.label and run.label .. ' ' or ''
    local ready = run.readiness and not run.ended and ', ' .. run.readiness:gsub('_', ' ') or ''
    listed[#listed + 1] = run
    made[#made + 1] = {
      text = ('%s  %s%s%s  %s'):format(run.id, name, runs.standing(run), ready, run.command),
    }
  end
  return #made > 0 and made or { { text = 'no runs' } }
end

--- Draws the list again if it is there.
function M.refresh()
  if tail and vim.api.nvim_buf_is_valid(tail.number) then
    tail.final = 0
    tail_buffer.add(tail, {}, lines())
  end
end

local function map(key, action)
  vim.keymap.set('n', key, function()
    local run = listed[vim.api.nvim_win_get_cursor(0)[1]]
    if run then
      action(run)
    end
  end, { buffer = tail.number, nowait = true })
end

--- Shows the list.
---@return integer buffer
function M.show()
  if not tail or not vim.api.nvim_buf_is_valid(tail.number) then
    tail = tail_buffer.new 'gibbous://list'
    map('<CR>', function(run) require('gibbous_nvim.log_buffer').show(run, true) end)
    map('x', function(run) require('gibbous_nvim').kill(run.id) end)
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = tail.number, nowait = true })
  end
  M.refresh()
  tail_buffer.show(tail, true)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  return tail.number
end

return M
