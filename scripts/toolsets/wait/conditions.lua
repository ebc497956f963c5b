-- The conditions of `wait_for`.
local condition = require 'toolsets.condition'

--- Returns the conditions that the arguments ask for. Ends the call when there are none.
---
--- Example: `local conditions = conditions_of(args, { args.id }, ctx, behind)`
---@param args table
---@param ids string[] the processes that they are about
---@param ctx Ctx
---@param behind table<string, Places> where their lines begin that count
---@return Condition[]
return function(args, ids, ctx, behind)
  local list = {}
  local function add(made)
    list[#list + 1] = made
  end
  local function add_for_each_run(what, make)
    if #ids == 0 then
      tool.error('invalid_arguments', what .. ' needs id: the process to look at')
    end
    for _, id in ipairs(ids) do
      add(make(id))
    end
  end

  if args.port then
    add(wait.port(args.port, { host = args.host, run = args.id }))
  end
  if args.output_regex then
    add_for_each_run('output_regex', function(id)
      return wait.regex(id, args.output_regex, {
        stream = args.stream, since = behind[id],
      })
    end)
  end
  if args.screen_regex then
    add_for_each_run('screen_regex', function(id)
      return wait.screen(id, args.screen_regex)
    end)
  end
  if args.http then
    add(wait.http(args.http, { status = args.http_status, run = args.id }))
  end
  if args.exit then
    add_for_each_run('exit', wait.exit)
  end
  if args.input then
    add_for_each_run('input', wait.input)
  end
  if args.quiet_ms then
    add_for_each_run('quiet_ms', function(id)
      return wait.quiet(id, args.quiet_ms)
    end)
  end
  if args.file then
    add(wait.file(condition.path(args.file, ctx), { run = args.id }))
  end
  if args.timer_ms then
    add(wait.timer(args.timer_ms))
  end
  if #list == 0 then
    tool.error('invalid_arguments', 'nothing to wait for: give port, output_regex, screen_regex, '
      .. 'http, exit, quiet_ms, input, file or timer_ms')
  end
  return list
end
