-- Conditions of a wait that a tool makes from its arguments.
local M = {}

-- The argument that each kind of condition is made from, where the names differ.
local ARGUMENT_OF = {
  regex = 'output_regex', screen = 'screen_regex', quiet = 'quiet_ms', timer = 'timer_ms',
}

--- Ends the call with invalid_arguments when a condition is wrong: a wrong pattern or URL is the
--- model's mistake.
---
--- Example: `condition.check({ any = { wait.regex(args.id, args.output_regex) } }, 'args.')`
---@param options { any?: Condition[], all?: Condition[], timeout_ms?: number }
---@param place? string what comes before the name of the argument
function M.check(options, place)
  local good, wrong = wait.check(options)
  if not good then
    local list, index = unpack(wrong.path)
    local kind = options[list][index].kind
    tool.error('invalid_arguments', ('%s%s: %s'):format(
      place or '', ARGUMENT_OF[kind] or kind, wrong.problem))
  end
end

--- Returns the absolute path of a file; a relative one is below the workspace.
---
--- Example: `wait.file(condition.path(args.file, ctx))`
---@param path string
---@param ctx Ctx
---@return string
function M.path(path, ctx)
  return path:sub(1, 1) == '/' and path or ctx.workspace .. '/' .. path
end

return M
