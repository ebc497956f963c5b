-- Gibbous in Neovim: functions for what :Gibbous does, and those that a configuration calls.
-- luacheck: std luajit, globals vim
local config = require 'gibbous_nvim.config'

local M = {}

local has_begun = false

-- Notifies the user of a failure, and returns nil and the message.
local function fail(message)
  vim.notify('Gibbous: ' .. message, vim.log.levels.ERROR)
  return nil, message
end

-- Notifies the user of what a request came to.
local function tell(text, problem)
  if problem then
    fail(problem)
  else
    vim.notify('Gibbous: ' .. text)
  end
end

--- Sets the options; see gibbous_nvim.Config. Raises an error that names a wrong one. The options
--- `runtime` and `tools` count from the next runtime on: call it before the first command.
---@param options? gibbous_nvim.Config
function M.setup(options)
  config.set(options)
end

--- Connects the parts of the plugin with the events of the runtimes; once, before the first one.
function M.begin()
  if has_begun then
    return
  end
  has_begun = true
  local diagnostics = require 'gibbous_nvim.diagnostics'
  local host = require 'gibbous_nvim.host'
  local runs = require 'gibbous_nvim.runs'
  local log_buffer = require 'gibbous_nvim.log_buffer'
  runs.on_change(require('gibbous_nvim.statusline').refresh)
  runs.on_change(require('gibbous_nvim.run_list').refresh)
  host.on_event(runs.on_event)
  host.on_event(function(_, event) diagnostics.on_event(event) end)
  host.on_turn(log_buffer.on_turn)
  local group = vim.api.nvim_create_augroup('gibbous_diagnostics', {})
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = group, callback = function(event) diagnostics.on_write(event.match) end,
  })
  vim.api.nvim_create_autocmd('BufReadPost', { group = group, callback = diagnostics.on_read })
end

--- Returns the runtime, which the first call makes; it takes some 50 ms. A plugin that talks with a
--- model gets its tools there: `require('gibbous_nvim').runtime():tools('anthropic')`. Raises an
--- error for options of a wrong type.
---@return gibbous.Runtime?
---@return gibbous.Error? err library_not_found, create_failed
function M.runtime()
  return require('gibbous_nvim.host').main()
end

---@class gibbous_nvim.StartOptions
---@field show? boolean whether to show its log; default: true
---@field label? string a name for people
---@field on_done? fun(id?: string, err?: gibbous.Error) is called when it has started, or has not

--- Starts a command in the background. The policy judges it like a command of a tool.
---@param command string for the shell
---@param options? gibbous_nvim.StartOptions
function M.start(command, options)
  options = options or {}
  local rt, err = M.runtime()
  if not rt then
    return fail(err.message)
  end
  rt:call('bg_start', {
    command = command, label = options.label, timeout = 0,
    watch = require('gibbous').list { unpack(config.current.watch) },
  }, nil, function(result, problem)
    local id = result and result.data.id
    if not id then
      fail(problem.message)
    else
      local runs = require 'gibbous_nvim.runs'
      runs.set_cwd(id, config.workspace())
      if options.show ~= false then
        M.logs(id, { enter = false })
      end
    end
    if options.on_done then
      options.on_done(id, problem)
    end
  end)
end

--- Shows the log of a run; without a name, that of the newest run.
---@param name? string id, beginning of one, or label
---@param options? { enter: boolean } whether the cursor goes there; default: true
---@return integer? buffer
function M.logs(name, options)
  local run, problem = require('gibbous_nvim.runs').find(name)
  if not run then
    return fail(problem)
  end
  return require('gibbous_nvim.log_buffer').show(run, not options or options.enter)
end

--- Ends a run with all its processes. A service is stopped as `gibbous stop` does it.
---@param name string id, beginning of one, or label
function M.kill(name)
  local run, problem = require('gibbous_nvim.runs').find(name)
  if not run then
    return fail(problem)
  elseif run.ended then
    return vim.notify(('Gibbous: %s has ended: %s'):format(name, run.reason or run.state))
  end
  local up = require 'gibbous_nvim.up'
  local service = up.service_of(run)
  if service then
    return up.control(service, 'stop', tell)
  end
  run.rt:call('bg_kill', { id = run.id }, nil, function(result, err)
    tell(result and result.text, err and err.message)
  end)
end

--- Shows the list of the runs.
---@return integer buffer
function M.list()
  return require('gibbous_nvim.run_list').show()
end

--- Starts the services of the workspace.
---@param file? string
---@return integer? buffer
function M.up(file)
  local buffer, problem = require('gibbous_nvim.up').start(file)
  return buffer or fail(problem)
end

--- Ends the services.
function M.down()
  local done, problem = require('gibbous_nvim.up').stop()
  return done or fail(problem)
end

--- Restarts one of the services, or starts it again when it has ended.
---@param service string its name
function M.restart(service)
  require('gibbous_nvim.up').control(service, 'restart', tell)
end

--- Returns the text for a statusline: `%{v:lua.require'gibbous_nvim'.statusline()}`.
---@return string
function M.statusline()
  return require('gibbous_nvim.statusline').text()
end

return M
