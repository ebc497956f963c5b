-- A buffer that grows at its end and stays bounded, with some last lines that are not final yet. A
-- window whose cursor is on the last line follows.
-- luacheck: std luajit, globals vim
local config = require 'gibbous_nvim.config'

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace 'gibbous_log'

---@class gibbous_nvim.TailBuffer
---@field number integer the buffer
---@field final integer how many lines, from the first on, will not change

--- Makes a buffer. Raises an error when there is one with this name.
---@param name string
---@return gibbous_nvim.TailBuffer
function M.new(name)
  local number = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(number, name)
  for option, value in pairs {
    buftype = 'nofile', bufhidden = 'hide', swapfile = false, undolevels = -1, modifiable = false,
    filetype = 'gibbouslog',
  } do
    vim.api.nvim_buf_set_option(number, option, value)
  end
  return { number = number, final = 0 }
end

-- Returns the windows whose cursor is on the last line.
local function following(tail)
  local last, windows = vim.api.nvim_buf_line_count(tail.number), {}
  for _, window in ipairs(vim.fn.win_findbuf(tail.number)) do
    if vim.api.nvim_win_get_cursor(window)[1] >= last then
      windows[#windows + 1] = window
    end
  end
  return windows
end

local function replace(tail, first, last, lines)
  vim.api.nvim_buf_set_option(tail.number, 'modifiable', true)
  vim.api.nvim_buf_set_lines(tail.number, first, last, false, lines)
  vim.api.nvim_buf_set_option(tail.number, 'modifiable', false)
end

local function highlight(tail, first, lines)
  for index, line in ipairs(lines) do
    if line.group then
      vim.api.nvim_buf_add_highlight(tail.number, NAMESPACE, line.group, first + index - 1, 0, -1)
    end
  end
end

---@class gibbous_nvim.TailLine
---@field text string
---@field group? string highlight group

--- Adds lines, and replaces the last ones, which are not final.
---@param tail gibbous_nvim.TailBuffer
---@param lines gibbous_nvim.TailLine[] that will not change
---@param open gibbous_nvim.TailLine[] that will
function M.add(tail, lines, open)
  if vim.v.exiting ~= vim.NIL then
    return -- the editor frees its buffers
  end
  local most = config.current.log.max_lines
  if #lines > most then
    lines = vim.list_slice(lines, #lines - most + 1)
  end
  local all = vim.list_extend(vim.list_extend({}, lines), open)
  local texts = {}
  for index, line in ipairs(all) do
    texts[index] = line.text:gsub('\n', ' ')
  end
  local windows = following(tail)
  replace(tail, tail.final, -1, texts)
  highlight(tail, tail.final, all)
  tail.final = tail.final + #lines
  local excess = tail.final - most
  if excess > 0 then
    replace(tail, 0, excess, {})
    tail.final = most
  end
  local last = vim.api.nvim_buf_line_count(tail.number)
  for _, window in ipairs(windows) do
    vim.api.nvim_win_set_cursor(window, { last, 0 })
  end
end

--- Shows the end of the buffer in the window that shows it or, without one, in a new window at the
--- bottom.
---@param tail gibbous_nvim.TailBuffer
---@param enter boolean whether to go to that window
function M.show(tail, enter)
  local window = vim.fn.bufwinid(tail.number)
  local before = vim.api.nvim_get_current_win()
  if window == -1 then
    vim.cmd(('botright %dsplit'):format(config.current.log.height))
    window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, tail.number)
    for option, value in pairs { number = false, relativenumber = false, wrap = true } do
      vim.api.nvim_win_set_option(window, option, value)
    end
  end
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(tail.number), 0 })
  vim.api.nvim_set_current_win(enter and window or before)
end

return M
