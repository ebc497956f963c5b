-- The runtimes of this editor, in its event loop: the one of the commands and tools, and the one of
-- the services while `:Gibbous up` runs.
-- luacheck: std luajit, globals vim
local config = require 'gibbous_nvim.config'

local M = {}

local open = {} -- the runtimes that are not closed
local main
local handlers = { event = {}, turn = {} }

local function tell(what, ...)
  for _, handler in ipairs(handlers[what]) do
    local good, trace = xpcall(handler, debug.traceback, ...)
    if not good then
      M.report(what, trace)
    end
  end
end

--- Shows an error of the plugin, or of a function of the user.
---@param where string
---@param trace string
function M.report(where, trace)
  vim.schedule(function()
    vim.notify(('Gibbous: %s: %s'):format(where, trace), vim.log.levels.ERROR)
  end)
end

--- Calls a function with each event and the runtime that it comes from.
---@param fn fun(rt: gibbous.Runtime, event: table)
function M.on_event(fn)
  table.insert(handlers.event, fn)
end

--- Calls a function after each turn of a runtime, when there may be new output.
---@param fn fun(rt: gibbous.Runtime)
function M.on_turn(fn)
  table.insert(handlers.turn, fn)
end

local function forget(rt)
  for index, each in ipairs(open) do
    if each == rt then
      table.remove(open, index)
    end
  end
  main = main ~= rt and main or nil
end

--- Ends what all runtimes run, for an editor that is about to exit.
function M.leave()
  while #open > 0 do
    local rt = table.remove(open)
    rt:hand_over()
    rt:destroy()
  end
  main = nil
end

local function leave_with_editor()
  local group = vim.api.nvim_create_augroup('gibbous_host', {})
  vim.api.nvim_create_autocmd('VimLeavePre', { group = group, callback = M.leave })
end

--- Makes a runtime and attaches it to the editor's loop. Raises an error for options of a wrong
--- type.
---@param options gibbous.Options
---@return gibbous.Runtime?
---@return gibbous.Error? err library_not_found, create_failed
function M.create(options)
  local gibbous = require 'gibbous'
  options = vim.tbl_extend('keep', options, { on_error = M.report })
  local rt, err = gibbous.new(options)
  if not rt then
    return nil, err
  end
  table.insert(open, rt)
  leave_with_editor()
  rt:on_event(function(event) tell('event', rt, event) end)
  local approvals = require 'gibbous_nvim.approvals'
  rt:on_ask(approvals.ask, approvals.withdraw)
  gibbous.luv(rt, vim.loop, { on_turn = function() tell('turn', rt) end })
  return rt
end

--- Closes a runtime: its runs end.
---@param rt gibbous.Runtime
---@param on_closed? fun()
function M.close(rt, on_closed)
  rt:close(function()
    forget(rt)
    rt:destroy()
    if on_closed then
      on_closed()
    end
  end)
end

--- Returns the runtime of the commands and tools, which the first call makes. Errors are those of
--- create().
---@return gibbous.Runtime?
---@return gibbous.Error? err
function M.main()
  if main then
    return main
  end
  require('gibbous_nvim').begin()
  local options = vim.tbl_extend('force', config.current.runtime, {
    workspace = config.workspace(), tools = config.current.tools,
  })
  local err
  main, err = M.create(options)
  return main, err
end

--- Returns the runtime of the commands and tools if it was made.
---@return gibbous.Runtime?
function M.existing()
  return main
end

return M
