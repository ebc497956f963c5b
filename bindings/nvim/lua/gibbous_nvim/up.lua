-- `:Gibbous up`: the services of the workspace, as `gibbous up` runs them: by the toolset `up`, in
-- a runtime of their own, so that no model sees those tools.
-- luacheck: std luajit, globals vim
local config = require 'gibbous_nvim.config'
local host = require 'gibbous_nvim.host'
local line_text = require 'gibbous_nvim.line_text'
local runs = require 'gibbous_nvim.runs'
local services_file = require 'gibbous_nvim.services_file'
local tail_buffer = require 'gibbous_nvim.tail_buffer'

local M = {}

local MAX_SERVICES = 1000
local LUA_TIME_MS = 60000 -- in each minute: every line of output goes through Lua
local SCRIPTS = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' .. '/up_scripts'

---@class gibbous_nvim.Up
---@field rt gibbous.Runtime
---@field declared table what the tools of `up` are given
---@field tail gibbous_nvim.TailBuffer
---@field services table<string, string> names by the ids of their runs

---@type gibbous_nvim.Up? the services that are up
local current
local buffer_count = 0

-- Codes of calls that ended because the user, or the end of the runtime, ended them.
local EXPECTED = { cancelled = true, closed = true, shutdown = true }

local function notify_unexpected(err)
  if err and not EXPECTED[err.code] then
    vim.notify('Gibbous up: ' .. err.message, vim.log.levels.ERROR)
  end
end

local READINESS = { started = 'pending', ready = 'ready', not_ready = 'not_ready' }

local function sentence(event)
  local text = event.text or ''
  if event.event == 'started' then
    return 'started, pid ' .. event.pid
  elseif event.event == 'exited' then
    return ('%s: %s'):format(event.stopped and 'stopped' or event.state, text)
  end
  return event.event:gsub('_', ' ') .. (text ~= '' and ': ' .. text or '')
end

local function is_bad(event)
  local has_failed = event.event == 'exited' and event.state ~= 'completed'
  return not event.stopped
    and (has_failed or event.event == 'gave_up' or event.event:match '^not_' ~= nil)
end

local function lines_of(event)
  local lines = {}
  local function add(text, group)
    lines[#lines + 1] = { text = ('%s | %s'):format(event.service, text), group = group }
  end
  if event.event ~= 'lines' then
    add(sentence(event), is_bad(event) and 'ErrorMsg' or 'Comment')
    return lines
  end
  for _, text in ipairs(event.lines) do
    local shown = line_text.feed(line_text.new(), text .. '\n')
    add(shown[#shown] or '', event.stream == 'stderr' and 'WarningMsg' or nil)
  end
  return lines
end

local function on_progress(up, progress)
  local event = vim.json.decode(progress.message)
  if event.run then
    up.services[event.run] = event.service
    if READINESS[event.event] then
      runs.set_readiness(event.run, READINESS[event.event])
    end
  end
  if vim.api.nvim_buf_is_valid(up.tail.number) then
    tail_buffer.add(up.tail, lines_of(event), {})
  end
end

local function on_end(up, result, err)
  if vim.api.nvim_buf_is_valid(up.tail.number) then
    local text = err and tostring(err) or ('all services have ended, %s'):format(result.text)
    tail_buffer.add(up.tail, { { text = ('[gibbous: %s]'):format(text), group = 'Comment' } }, {})
  end
  notify_unexpected(err)
  if current == up then
    current = nil
  end
  host.close(up.rt)
end

-- Returns what the file of the services declares, or nil and a sentence.
local function declared_services(name)
  local path, problem = services_file.find(name)
  if not path then
    return nil, problem
  end
  return services_file.read(path)
end

-- Makes the runtime of the services.
local function create_runtime()
  require('gibbous_nvim').begin()
  local options = vim.tbl_extend('force', config.current.runtime, {
    workspace = config.workspace(), mode = config.current.up.mode, scripts_dir = SCRIPTS,
    session = 'gibbous@', min_concurrent = MAX_SERVICES, lua_time_ms = LUA_TIME_MS,
    watch_files = false, work_queue = false, adopt_runs = false,
  })
  options.toolsets = nil
  return host.create(options)
end

--- Starts the services that a file declares. Returns nil and a sentence when that fails.
---@param name? string the file; default: that of the configuration, or of the workspace
---@return integer? buffer
---@return string? problem
function M.start(name)
  if current then
    tail_buffer.show(current.tail, false)
    return nil, 'the services are up already; :Gibbous down ends them'
  end
  local declared, problem = declared_services(name)
  if not declared then
    return nil, problem
  end
  local rt, err = create_runtime()
  if not rt then
    return nil, err.message
  end
  buffer_count = buffer_count + 1
  local up = {
    rt = rt, declared = declared, services = {},
    tail = tail_buffer.new('gibbous://up/' .. buffer_count),
  }
  current = up
  tail_buffer.show(up.tail, false)
  rt:call('up', vim.tbl_extend('error', declared, { batches = true }), {
    on_progress = function(progress) on_progress(up, progress) end,
  }, function(...)
    on_end(up, ...)
  end)
  return up.tail.number
end

--- Ends the services, each once those that depend on it have ended.
---@return true?
---@return string? problem
function M.stop()
  if not current then
    return nil, 'no services are up'
  end
  current.rt:call('up_stop', current.declared, nil, function(_, err) notify_unexpected(err) end)
  return true
end

--- Stops, starts or restarts one service.
---@param service string
---@param action 'restart'|'stop'|'start'
---@param on_done fun(text?: string, problem?: string)
function M.control(service, action, on_done)
  if not current then
    return on_done(nil, 'no services are up')
  end
  local arguments = vim.tbl_extend('error', current.declared, {
    service = service, action = action,
  })
  current.rt:call('up_control', arguments, nil, function(result, err)
    on_done(result and result.text, err and err.message)
  end)
end

--- Returns the service that a run belongs to; nil when it belongs to no service that is up.
---@param run gibbous_nvim.Run
---@return string?
function M.service_of(run)
  return current and current.rt == run.rt and (current.services[run.id] or run.label) or nil
end

--- Returns the names of the services that are up.
---@return string[]
function M.names()
  local names = current and vim.tbl_values(current.services) or {}
  table.sort(names)
  return vim.fn.uniq(names)
end

return M
