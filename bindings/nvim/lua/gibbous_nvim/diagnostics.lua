-- What watchers report with a file and a line, as diagnostics of buffers and as a quickfix list.
-- luacheck: std luajit, globals vim
local config = require 'gibbous_nvim.config'
local runs = require 'gibbous_nvim.runs'

local M = {}

local SETTLE_MS = 50 -- so that several that come at once are shown at once
local MAX_ITEMS = 1000
local TITLE = 'Gibbous'

local NAMESPACE = vim.api.nvim_create_namespace 'gibbous'
local SEVERITIES = {
  error = vim.diagnostic.severity.ERROR, warning = vim.diagnostic.severity.WARN,
  note = vim.diagnostic.severity.INFO, info = vim.diagnostic.severity.INFO,
  hint = vim.diagnostic.severity.HINT,
}
local TYPES = {
  [vim.diagnostic.severity.ERROR] = 'E', [vim.diagnostic.severity.WARN] = 'W',
  [vim.diagnostic.severity.INFO] = 'I', [vim.diagnostic.severity.HINT] = 'N',
}

---@class gibbous_nvim.Item
---@field path string absolute
---@field line integer from 1
---@field column integer from 1
---@field message string
---@field severity integer
---@field source string the name of the event
---@field run string its id
---@field key string runs.key() of the run: a later run with the same key removes the item

---@type gibbous_nvim.Item[]
local items = {}
local shown = {} -- buffers that have diagnostics
local list_id
local is_coming = false

local function real(path)
  return vim.loop.fs_realpath(path) or path
end

local function absolute(path, cwd)
  local is_absolute = vim.startswith(path, '/')
  return real(is_absolute and path or cwd .. '/' .. path)
end

local function item_of(event, run)
  local named = event.named or {}
  local line = tonumber(named.line)
  if not named.file or not line then
    return nil
  end
  return {
    path = absolute(named.file, run.cwd or config.workspace()), line = math.max(line, 1),
    column = math.max(tonumber(named.column) or 1, 1), message = named.message or event.line,
    severity = SEVERITIES[(named.severity or 'error'):lower()] or SEVERITIES.error,
    source = event.event, run = run.id, key = runs.key(run),
  }
end

local function is_same(one, other)
  return one.path == other.path and one.line == other.line and one.column == other.column
    and one.message == other.message
end

local function put_into_buffers()
  local by_path = {}
  for _, item in ipairs(items) do
    by_path[item.path] = by_path[item.path] or {}
    table.insert(by_path[item.path], {
      lnum = item.line - 1, col = item.column - 1, message = item.message,
      severity = item.severity, source = 'gibbous: ' .. item.source,
    })
  end
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    local found = name ~= '' and vim.api.nvim_buf_is_loaded(buffer) and by_path[real(name)] or nil
    if found or shown[buffer] then
      vim.diagnostic.set(NAMESPACE, buffer, found or {})
      shown[buffer] = found and true or nil
    end
  end
end

local function put_into_quickfix()
  local list = {}
  for index, item in ipairs(items) do
    list[index] = {
      filename = item.path, lnum = item.line, col = item.column, text = item.message,
      type = TYPES[item.severity],
    }
  end
  local is_there = list_id and vim.fn.getqflist({ id = list_id, title = 1 }).title == TITLE
  if is_there then
    vim.fn.setqflist({}, 'r', { id = list_id, items = list, title = TITLE })
  elseif #list > 0 then
    vim.fn.setqflist({}, ' ', { items = list, title = TITLE })
    list_id = vim.fn.getqflist({ id = 0 }).id
  end
end

local function show()
  is_coming = false
  put_into_buffers()
  if config.current.diagnostics.quickfix then
    put_into_quickfix()
  end
end

local function show_soon()
  if not is_coming then
    is_coming = true
    vim.defer_fn(show, SETTLE_MS)
  end
end

-- Removes the items for which the condition holds.
local function remove(condition)
  local kept = vim.tbl_filter(function(item) return not condition(item) end, items)
  if #kept < #items then
    items = kept
    show_soon()
  end
end

local function add(item)
  for _, other in ipairs(items) do
    if is_same(item, other) then
      return
    end
  end
  if #items < MAX_ITEMS then
    items[#items + 1] = item
    show_soon()
  end
end

--- Takes an event of a runtime. A run that starts removes what earlier runs of its label or command
--- left.
---@param event table
function M.on_event(event)
  local run = event.run and config.current.diagnostics.enabled and runs.find(event.run)
  if not run then
    return
  elseif event.event == 'run_started' then
    local key = runs.key(run)
    return remove(function(item) return item.key == key and item.run ~= run.id end)
  end
  local item = item_of(event, run)
  if item then
    add(item)
  end
end

--- Removes what running programs reported about a file that was written, because they will look at
--- it again.
---@param path string
function M.on_write(path)
  path = real(path)
  remove(function(item)
    local run = item.path == path and runs.find(item.run)
    return run and not run.ended
  end)
end

--- Shows the diagnostics again, because a file was read that may have some.
function M.on_read()
  if #items > 0 then
    show_soon()
  end
end

return M
