-- The tool `run` of `lean`: starts a shell command, and waits for what makes it useful.
local asked_watch = require 'toolsets.asked_watch'
local environment = require 'toolsets.environment'
local start_until = require 'toolsets.start_until'
local until_text = require 'toolsets.lean.until_text'
local wishes = require 'toolsets.wishes'

local MAX_TIMEOUT_MS = 600000

return tool {
  name = 'run',
  title = 'Run',
  description = 'Start a $SHELL command in the background. until: wait for that.',
  permission = 'execute',
  judged_as = 'bg_start',
  annotations = { destructive = true, idempotent = false, open_world = true },
  input = schema.object {
    command = schema.string {},
    ['until'] = until_text.schema(
      'exit, input, quiet, port 80, http://..., or RE2 of an output line'),
    timeout = schema.number {
      description = 'ms to wait (30000)', minimum = 0, maximum = MAX_TIMEOUT_MS,
      optional = true,
    },
    label = schema.string { optional = true },
    pty = schema.boolean { optional = true },
    stdin = start_until.STDIN,
    watch = asked_watch.schema('Lines to tell of: '),
    cwd = schema.string { optional = true, rare = true },
    env = environment.SCHEMA,
    allow = wishes.RARE,
    kill_after = schema.number {
      description = 'Time limit of the command in ms (default: none)', minimum = 1,
      optional = true, rare = true,
    },
  },
  takes_limits = true,
  command = 'command',
  output = schema.object {
    id = schema.string {},
    pid = schema.integer {},
    label = schema.string { optional = true },
    ['until'] = start_until.OUTCOME,
  },
  run = function(args, ctx)
    if args.command == '' then
      tool.error('invalid_arguments', 'args.command: is empty; expected a shell command')
    end
    local asked = until_text.read(args['until'], args.timeout, ctx.session)
    local handle, err = asked_watch.start(run.start, args, {
      command = args.command, label = args.label, cwd = args.cwd, env = args.env, pty = args.pty,
      stdin = start_until.stdin_of { stdin = args.stdin, pty = args.pty, ['until'] = asked },
      timeout_ms = args.kill_after or 0, limits = args.limits, detach = true,
    })
    if not handle then
      local full = err.code == 'too_many_runs' and ' Stop one with job.' or ''
      tool.error(err.code, err.message .. full)
    end
    local data = { id = handle.id, pid = handle:info().pid, label = args.label }
    local text = handle.id .. ' started'
    if asked then
      text, data['until'] = start_until.wait(handle, asked)
    end
    return { text = text, data = data }
  end,
}
