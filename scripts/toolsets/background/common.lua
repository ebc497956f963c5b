-- Shared by the tools of `background`: arguments, and who owns the processes.
local M = {}

local MAX_TIMEOUT_S = 30 * 24 * 60 * 60
local STARTERS = { run_background = true, run_test = true, run_build = true }

M.ID = schema.string { description = 'process_id or job_id' }
M.CWD = schema.string {
  description = 'Directory (default: the workspace)', optional = true,
}
M.TIMEOUT = schema.number {
  description = 'Time limit in seconds', minimum = 0, maximum = MAX_TIMEOUT_S, optional = true,
}

--- Returns the owner of the processes of a call, for own_runs.
---
--- Example: `own_runs.list(common.owner_of(ctx))`
---@param ctx Ctx
---@return Owner
function M.owner_of(ctx)
  return {
    toolset = 'background', tools = STARTERS, session = ctx.session,
    max = ctx.settings.max_concurrent,
    hint = 'End one with stop_process; list_processes shows them.',
  }
end

--- Ends the call when the argument is given and is no command.
---
--- Example: `common.not_empty(args, 'cmd')`
---@param args table
---@param name string
function M.not_empty(args, name)
  local command = args[name]
  if command and (command == '' or command:find '%z') then
    local what = command == '' and 'is empty' or 'has a NUL byte'
    tool.error('invalid_arguments', ('args.%s: %s; expected a command'):format(name, what))
  end
end

--- Returns the time limit of a call in milliseconds.
---
--- Example: `common.timeout_ms({ timeout = 2 })` is 2000
---@param args { timeout?: number }
---@param default? number
---@return number?
function M.timeout_ms(args, default)
  return args.timeout and args.timeout * 1000 or default
end

return M
