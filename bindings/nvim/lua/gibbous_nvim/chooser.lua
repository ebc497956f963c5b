-- A question in a floating window. Unlike the built-in vim.ui.select(), it does not stop the
-- editor, and it can be closed. <CR> on a line answers; a digit only goes to its line, because it
-- may have been typed for something else.
-- luacheck: std luajit, globals vim
local M = {}

local MARGIN = 4 -- columns and lines of the editor that stay in sight

local function height_of(lines, width)
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  return height
end

local function open_window(lines)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.api.nvim_buf_set_option(buffer, 'bufhidden', 'wipe')
  vim.api.nvim_buf_set_option(buffer, 'modifiable', false)
  local width = 1
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - MARGIN))
  local height = math.max(1, math.min(height_of(lines, width), vim.o.lines - MARGIN))
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = 'editor', style = 'minimal', border = 'rounded', width = width, height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
  })
  vim.api.nvim_win_set_option(window, 'wrap', true)
  vim.api.nvim_win_set_option(window, 'cursorline', true)
  return buffer, window
end

-- Maps the keys of a question whose choices begin at the line `first`.
local function map_keys(buffer, window, first, count, finish)
  local function map(key, action)
    vim.keymap.set('n', key, action, { buffer = buffer, nowait = true })
  end
  map('<CR>', function()
    local line = vim.api.nvim_win_get_cursor(window)[1]
    if line >= first then
      finish(line - first + 1)
    end
  end)
  for index = 1, count do
    map(tostring(index), function()
      vim.api.nvim_win_set_cursor(window, { first + index - 1, 0 })
    end)
  end
  map('q', function() finish(nil) end)
  map('<Esc>', function() finish(nil) end)
end

--- Shows a question; the cursor is on the last choice. Returns a function that closes the window
--- without an answer.
---@param prompt string
---@param texts string[]
---@param on_choice fun(index?: integer) gets the choice, once; nil: the question was dismissed
---@return fun() close
function M.open(prompt, texts, on_choice)
  local lines = vim.split(prompt, '\n', { plain = true })
  local first = #lines + 1
  for index, text in ipairs(texts) do
    lines[#lines + 1] = ('%d: %s'):format(index, text)
  end
  local buffer, window = open_window(lines)
  local is_over = false
  local function close()
    is_over = true
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    end
  end
  local function finish(index)
    if not is_over then
      close()
      on_choice(index)
    end
  end
  map_keys(buffer, window, first, #texts, finish)
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer, callback = function() vim.schedule(function() finish(nil) end) end,
  })
  vim.api.nvim_win_set_cursor(window, { #lines, 0 })
  return close
end

return M
