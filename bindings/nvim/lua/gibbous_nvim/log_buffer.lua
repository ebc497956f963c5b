-- The log of a run in a buffer. While a window shows it, it follows the output: it reads a bounded
-- part of each stream at a time, at most once in log.interval_ms.
-- luacheck: std luajit, globals vim
local config = require 'gibbous_nvim.config'
local line_text = require 'gibbous_nvim.line_text'
local runs = require 'gibbous_nvim.runs'
local tail_buffer = require 'gibbous_nvim.tail_buffer'

local M = {}

local STREAMS = { 'stdout', 'stderr' }
local GROUPS = { stderr = 'WarningMsg' }
local NOTE = 'Comment'

---@class gibbous_nvim.View
---@field run gibbous_nvim.Run
---@field tail gibbous_nvim.TailBuffer
---@field stdout { cursor: number, text: gibbous_nvim.LineText, ended?: boolean }
---@field stderr { cursor: number, text: gibbous_nvim.LineText, ended?: boolean }
---@field is_coming? boolean whether it will be read again soon
---@field is_done? boolean whether its last line was shown

---@type table<string, gibbous_nvim.View> by the id of the run
local views = {}

local function note(text)
  return { text = ('[gibbous: %s]'):format(text), group = NOTE }
end

local function add_all(lines, texts, group)
  for _, text in ipairs(texts) do
    lines[#lines + 1] = { text = text, group = group }
  end
end

-- Adds what is new in a stream. Returns whether there was something.
local function read(view, stream, lines)
  local state = view[stream]
  if state.ended then
    return false
  end
  local bytes, after, ended = view.run.rt:read(view.run.id, stream, state.cursor,
    config.current.log.bytes_per_turn)
  if not bytes then
    state.ended = true
    if not view.run.ended then
      lines[#lines + 1] = note(after.message)
    end
    return false
  end
  local lost = after - state.cursor - #bytes
  if lost > 0 then
    add_all(lines, { line_text.rest(state.text) }, GROUPS[stream])
    state.text = line_text.new()
    lines[#lines + 1] = note(('%d bytes of %s left out'):format(lost, stream))
  end
  add_all(lines, line_text.feed(state.text, bytes), GROUPS[stream])
  state.cursor, state.ended = after, ended
  return #bytes > 0
end

-- Returns the lines that are not complete yet.
local function open_lines(view)
  local lines = {}
  for _, stream in ipairs(STREAMS) do
    add_all(lines, { line_text.rest(view[stream].text) }, GROUPS[stream])
  end
  return lines
end

-- Adds the last lines, once the run and its output have ended.
local function finish(view, lines)
  vim.list_extend(lines, open_lines(view))
  lines[#lines + 1] = note(runs.standing(view.run))
  view.is_done = true
  tail_buffer.add(view.tail, lines, {})
end

local follow

-- Has the log read again after the interval.
local function come_again(view)
  if view.is_coming or view.is_done then
    return
  end
  view.is_coming = true
  vim.defer_fn(function()
    view.is_coming = false
    follow(view)
  end, config.current.log.interval_ms)
end

function follow(view)
  if not vim.api.nvim_buf_is_valid(view.tail.number) then
    views[view.run.id] = nil
    return
  elseif view.is_done or #vim.fn.win_findbuf(view.tail.number) == 0 then
    return
  end
  local lines, is_more = {}, false
  for _, stream in ipairs(STREAMS) do
    is_more = read(view, stream, lines) or is_more
  end
  if view.run.ended and view.stdout.ended and view.stderr.ended then
    return finish(view, lines)
  end
  if is_more or #lines > 0 then
    tail_buffer.add(view.tail, lines, open_lines(view))
  end
  if is_more then
    come_again(view)
  end
end

local function new_view(run)
  local view = {
    run = run, tail = tail_buffer.new('gibbous://' .. run.id),
    stdout = { cursor = 0, text = line_text.new() },
    stderr = { cursor = 0, text = line_text.new() },
  }
  views[run.id] = view
  vim.api.nvim_create_autocmd('BufWinEnter', {
    buffer = view.tail.number, callback = function() come_again(view) end,
  })
  return view
end

--- Shows the log of a run.
---@param run gibbous_nvim.Run
---@param enter boolean whether the cursor goes there
---@return integer buffer
function M.show(run, enter)
  local view = views[run.id]
  if not view or not vim.api.nvim_buf_is_valid(view.tail.number) then
    view = new_view(run)
  end
  tail_buffer.show(view.tail, enter)
  come_again(view)
  return view.tail.number
end

--- Has the open logs of a runtime read what is new.
---@param rt gibbous.Runtime
function M.on_turn(rt)
  for _, view in pairs(views) do
    if view.run.rt == rt then
      come_again(view)
    end
  end
end

return M
