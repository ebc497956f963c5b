-- The tool `bg_start`: starts a shell command in the background, at once or behind others, and
-- waits until it is useful where the call asks for that.
local any_run = require 'toolsets.any_run'
local asked_watch = require 'toolsets.asked_watch'
local environment = require 'toolsets.environment'
local format = require 'toolsets.format'
local start_until = require 'toolsets.start_until'
local wishes = require 'toolsets.wishes'

-- The longest timeout of a run; a longer one is cut to this.
local MAX_TIMEOUT_MS = 30 * 24 * 60 * 60 * 1000
local MAX_QUEUE_NAME = 256
local MAX_PRIORITY = 1000

-- Ends the call with the error of a start.
local function check(value, err)
  if not value then
    local full = err.code == 'too_many_runs'
    local hint = full and ' Use bg_kill to end one, bg_status to see them.' or ''
    tool.error(err.code, err.message .. hint)
  end
  return value
end

-- Queues the command behind the runs of the same name.
local function queue(args, options)
  options.session = args.serial
  options.request_id = args.request_id
  options.priority = args.priority
  local queued = check(asked_watch.start(run.queue, args, options))
  local data = { id = queued.id, pid = 0, command = args.command, label = args.label }
  if args['until'] then
    local text, outcome = start_until.wait_queued(queued.id, args['until'])
    data['until'] = outcome
    local handle = run.get(queued.id)
    data.pid = handle and handle:info().pid or 0
    return { text = text, data = data }
  end
  return {
    text = ('Process queued: id=%s cmd="%s": %s'):format(
      queued.id, format.one_line(args.command), any_run.place_text(queued.id)),
    data = data,
  }
end

-- Starts the command now.
local function start(args, options)
  options.detach = true
  local handle = check(asked_watch.start(run.start, args, options))
  local info = handle:info()
  local data = { id = handle.id, pid = info.pid, command = args.command, label = args.label }
  if args['until'] then
    local text, outcome = start_until.wait(handle, args['until'])
    data['until'] = outcome
    return { text = text, data = data }
  end
  return {
    text = ('Process started: id=%s pid=%d cmd="%s"'):format(
      handle.id, info.pid, format.one_line(args.command)),
    data = data,
  }
end

return tool {
  name = 'bg_start',
  title = 'Start in background',
  description = 'Start a shell command in the background. Returns a process ID for tracking. '
    .. 'Use for long-running commands (tests, builds, dev servers).',
  permission = 'execute',
  annotations = { destructive = true, idempotent = false, open_world = true },
  input = schema.object {
    command = schema.string { description = 'Shell command to execute' },
    timeout = schema.number {
      description = 'Timeout in ms (default: 300000 = 5 min, 0 = no timeout)',
      minimum = 0,
      optional = true,
    },
    label = schema.string {
      description = 'Human-readable label (e.g. "test suite", "dev server")',
      optional = true,
    },
    ['until'] = start_until.UNTIL,
    cwd = schema.string { optional = true, description = 'Where $SHELL starts' },
    env = environment.SCHEMA,
    pty = schema.boolean { optional = true },
    stdin = start_until.STDIN,
    watch = asked_watch.schema('Lines to tell of: '),
    allow = wishes.SCHEMA,
    serial = schema.string {
      description = 'Queue: its commands run one after the other', min_length = 1,
      max_length = MAX_QUEUE_NAME, optional = true, rare = true,
    },
    priority = schema.integer {
      description = 'With serial: commands with a higher one start first (default: 0)',
      minimum = -MAX_PRIORITY, maximum = MAX_PRIORITY, optional = true, rare = true,
    },
    request_id = schema.string {
      description = 'With serial: your id of this call; a call that repeats it gives the same run',
      min_length = 1, max_length = MAX_QUEUE_NAME, optional = true, rare = true,
    },
  },
  takes_limits = true,
  command = 'command',
  output = schema.object {
    id = schema.string {},
    pid = schema.integer { description = '0 while it is queued' },
    command = schema.string {},
    label = schema.string { optional = true },
    ['until'] = start_until.OUTCOME,
  },
  run = function(args, ctx)
    if args.command == '' then
      tool.error('invalid_arguments', 'args.command: is empty; expected a shell command')
    end
    for _, name in ipairs { 'priority', 'request_id' } do
      if args[name] and not args.serial then
        tool.error('invalid_arguments', ('args.%s: needs serial'):format(name))
      end
    end
    local asked = args['until']
    if asked then
      start_until.check(asked)
      asked.session = ctx.session
    end
    local timeout = start_until.timeout_of(asked, args.timeout)
    local options = {
      command = args.command, label = args.label, cwd = args.cwd, env = args.env, pty = args.pty,
      stdin = start_until.stdin_of(args),
      timeout_ms = timeout and math.min(timeout, MAX_TIMEOUT_MS) or 'default', limits = args.limits,
    }
    return args.serial and queue(args, options) or start(args, options)
  end,
}
