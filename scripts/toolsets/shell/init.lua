-- The toolset `shell`: one tool with actions. Spawned runs are queued: those of one session run one
-- after the other. They are recorded item by item and read with a cursor, also by a later Gibbous.
local one_line = require('toolsets.format').one_line
local format = require 'toolsets.shell.format'
local named_watchers = require 'watchers.named'

local MAX_TIMEOUT_SECS = 30 * 24 * 60 * 60
-- How long a kill waits for the end of the run before it answers; it continues after that.
local KILL_WAIT_MS = 250
-- How long send_keys waits for a run that was just spawned to start.
local START_WAIT_MS = 5000
local QUEUE_WAIT_MS = 250
-- After keys, send_keys waits until the terminal has been quiet for this long, within a limit.
local SETTLE_MS = 150
local SETTLE_LIMIT_MS = 3000
-- The journal keeps at least this much of a run; poll applies smaller limits.
local MIN_RECORDED_BYTES = 4096
local CAP_KEY = 'cap.'
local MAX_CAPS = 500
local MAX_SEQ = 2 ^ 32
local MAX_SESSION_BYTES = 256

local INPUT = schema.object {
  action = schema.string {
    enum = { 'spawn', 'poll', 'kill', 'send_keys' },
    description = 'spawn: run in the background; poll: new output and events of a run; '
      .. 'kill: end a run; send_keys: type into a run. Omit to run a command and wait for its end.',
    optional = true,
  },
  command = schema.string {
    description = 'Shell command (required for spawn, and without action)', optional = true,
  },
  background = schema.boolean {
    description = 'spawn: do not wait for the end (default: true)', optional = true,
  },
  pty = schema.boolean {
    description = 'spawn: in a terminal (24x80), for programs that want one', optional = true,
  },
  timeout_secs = schema.number {
    minimum = 0, description = 'Hard timeout (default: none for spawn)', optional = true,
  },
  max_output_bytes = schema.integer {
    minimum = 1, maximum = 1073741824, optional = true,
    description = 'Output that is kept and given; above it the beginning and the end are',
  },
  watch = schema.array(schema.object {
    regex = schema.string {
      description = 'RE2, found in a line of output, or of the screen', min_length = 1,
      optional = true,
    },
    event = schema.string {
      description = 'Name of the event: a letter, then letters, digits, _ . -',
      pattern = '^[A-Za-z][A-Za-z0-9_.-]{0,63}$', optional = true,
    },
    preset = schema.string {
      enum = named_watchers.names, optional = true,
      description = 'Instead of regex and event: what people watch for',
    },
    once = schema.boolean { optional = true },
    scope = schema.string {
      enum = { 'stdout', 'stderr', 'both', 'screen' }, optional = true,
      description = 'screen: what the terminal shows (with pty), for full-screen programs',
    },
  }, { description = 'spawn: lines to be told about', max_items = 64, optional = true }),
  run_id = schema.string {
    description = 'Run (required for poll, kill and send_keys)', optional = true,
  },
  keys = schema.string {
    description = 'send_keys: text and keys, such as ls<Enter>, <C-c>, <Up>, <Esc>:wq<Enter>; '
      .. 'a "<" that is text is <lt>',
    optional = true,
  },
  paste = schema.boolean {
    description = 'send_keys: keys is text to paste, without names of keys', optional = true,
  },
  since_seq = schema.integer {
    minimum = 0, maximum = MAX_SEQ, optional = true,
    description = 'poll: items after this seq (default: 0, all)',
  },
  session_id = schema.string {
    description = 'spawn: session whose queue and backlog it is (default: yours)', optional = true,
  },
}

local OUTPUT = schema.object {
  run_id = schema.string { optional = true },
  session_id = schema.string { optional = true },
  status = schema.string { description = 'queued, starting, running, or how it ended' },
  exit_code = schema.integer { optional = true },
  reason = schema.string { optional = true },
  items = schema.array(schema.object {
    seq = schema.integer {},
    item_type = schema.string {},
    payload = schema.string {},
    meta = schema.any { optional = true },
    created_at = schema.integer { description = 'Unix time, ms' },
  }, { optional = true }),
  next_seq = schema.integer { optional = true, description = 'since_seq of the next poll' },
  more = schema.boolean { optional = true, description = 'There is more already: poll again' },
  done = schema.boolean { optional = true, description = 'Nothing more will come' },
  killed = schema.boolean { optional = true },
  screen = schema.object({
    text = schema.string { description = 'Rows, without the empty ones at the end' },
    rows = schema.integer {},
    cols = schema.integer {},
    cursor = schema.object {
      row = schema.integer { description = 'From 1' },
      col = schema.integer { description = 'From 1' },
      visible = schema.boolean {},
    },
    title = schema.string {},
    alternate = schema.boolean { description = 'A full-screen program shows it' },
  }, { optional = true, description = 'What the terminal of the run shows' }),
  stdout = schema.string { optional = true },
  stderr = schema.string { optional = true },
  truncated = schema.boolean { optional = true },
}

local function check(value, err)
  if value == nil then
    tool.error(err.code, err.message)
  end
  return value
end

local function required(args, name, action)
  local value = args[name]
  if value == nil or value == '' then
    tool.error('invalid_arguments', ('args.%s: is required for %s'):format(name, action))
  end
  return value
end

local function timeout_ms(args, usual)
  local secs = args.timeout_secs
  if not secs then
    return usual
  end
  return math.min(secs, MAX_TIMEOUT_SECS) * 1000
end

-- `field` may be nil.
local function wrong_watch(index, field, problem)
  local place = field and '.' .. field or ''
  tool.error('invalid_arguments', ('args.watch[%d]%s: %s'):format(index - 1, place, problem))
end

-- Returns the watchers, with presets expanded, and the argument that each comes from.
local function watchers_of(args)
  if not args.watch then
    return nil, {}
  end
  local watchers, origins = {}, {}
  for index, asked in ipairs(args.watch) do
    local own = asked.regex ~= nil and asked.event ~= nil
    local named = asked.preset ~= nil and asked.regex == nil and asked.event == nil
    if not own and not named then
      wrong_watch(index, nil, 'expected regex and event, or preset alone')
    end
    if asked.scope == 'screen' and not args.pty then
      wrong_watch(index, 'scope', "'screen' needs a terminal: give pty")
    end
    for _, watcher in ipairs(named and named_watchers.watchers(asked.preset) or { asked }) do
      watcher.once = asked.once
      watcher.scope = asked.scope or watcher.scope
      watchers[#watchers + 1] = watcher
      origins[#watchers] = index
    end
  end
  return watchers, origins
end

-- Starts or queues a run. A wrong pattern raises an error, but here it is the model's mistake, so
-- it becomes invalid_arguments.
local function start(how, args, options)
  local origins
  options.watch, origins = watchers_of(args)
  local ok, value, err = pcall(how, options)
  if ok then
    return check(value, err)
  end
  local path = type(value) == 'table' and value.path or {}
  if path[1] ~= 'watch' or not path[2] then
    error(value, 0)
  end
  wrong_watch(origins[path[2]], path[3], value.problem)
end

local function recorded_bytes(args)
  return args.max_output_bytes and math.max(args.max_output_bytes, MIN_RECORDED_BYTES)
end

-- Stores a cap that is smaller than what the journal keeps, and drops those of forgotten runs.
local function remember_cap(id, args)
  if not args.max_output_bytes or args.max_output_bytes >= MIN_RECORDED_BYTES then
    return
  end
  local keys = store.keys(CAP_KEY)
  if #keys >= MAX_CAPS then
    for _, key in ipairs(keys) do
      if not run.get(key:sub(#CAP_KEY + 1)) then
        store.delete(key)
      end
    end
  end
  store.set(CAP_KEY .. id, args.max_output_bytes)
end

-- Returns the bytes of output before the items of a poll.
local function output_before(id, since_seq)
  local bytes, cursor = 0, 0
  while cursor < since_seq do
    local page = check(journal.items(id, { since_seq = cursor, clean = true }))
    bytes = bytes + format.output_bytes(page.items, since_seq)
    cursor = page.more and page.next_seq or since_seq
  end
  return bytes
end

-- Runs the command and waits for its end.
local function wait_for_end(args, action)
  local handle = start(run.start, args, {
    command = required(args, 'command', action), timeout_ms = timeout_ms(args, nil),
    background = false, pty = args.pty, max_output_bytes = recorded_bytes(args),
  })
  remember_cap(handle.id, args)
  check(handle:wait { any = { { kind = 'exit' } } })
  return handle
end

local actions = {}

function actions.spawn(args, ctx)
  if args.background == false then
    local handle = wait_for_end(args, 'spawn')
    return actions.poll { run_id = handle.id, since_seq = 0 }
  end
  local session = args.session_id or ctx.session
  if #session > MAX_SESSION_BYTES or session:find '%z' then
    local name = args.session_id and 'args.session_id' or 'session'
    tool.error('invalid_arguments', ('%s: expected at most %d bytes, and no NUL'):format(
      name, MAX_SESSION_BYTES))
  end
  local queued = start(run.queue, args, {
    command = required(args, 'command', 'spawn'), session = session,
    timeout_ms = timeout_ms(args, 0), pty = args.pty, max_output_bytes = recorded_bytes(args),
  })
  remember_cap(queued.id, args)
  return {
    text = ('Run %s is %s. Use action=poll with run_id to see its output.'):format(
      queued.id, queued.state
    ),
    data = { run_id = queued.id, session_id = session, status = queued.state },
  }
end

function actions.poll(args)
  local id = required(args, 'run_id', 'poll')
  local since_seq = args.since_seq or 0
  local recorded = check(journal.items(id, { since_seq = since_seq, clean = true }))
  local cap = store.get(CAP_KEY .. id)
  local data = format.poll_data(recorded, cap and cap - output_before(id, since_seq))
  data.screen = format.screen(run.get(id))
  return { text = format.poll_text(data), data = data }
end

function actions.kill(args)
  local id = required(args, 'run_id', 'kill')
  local handle = run.get(id)
  if not handle then
    local how, err = journal.kill(id)
    if not how and err.code ~= 'run_ended' then
      tool.error(err.code, err.message)
    end
    local state = check(journal.items(id, { limit = 1 })).run.state
    local killed = how == 'killed'
    return {
      text = ('Run %s: %s.'):format(id, how == 'asked' and 'its host was asked to end it' or state),
      data = { run_id = id, status = state, killed = killed },
    }
  end
  if handle:info().ended_ms then
    local state = handle:info().state
    return {
      text = ('Run %s is not running: %s.'):format(id, state),
      data = { run_id = id, status = state, killed = false },
    }
  end
  local killing = task.spawn(function()
    return handle:kill()
  end)
  local answer = handle:wait { any = { { kind = 'exit' } }, timeout_ms = KILL_WAIT_MS }
  if not (answer and answer.ok) then
    killing:cancel()
  end
  local info = handle:info()
  return {
    text = ('Run %s: %s.'):format(id, info.ended_ms and info.state or 'is being ended'),
    data = { run_id = id, status = info.state, killed = true },
  }
end

-- Ends the call: the run is still queued.
local function still_queued(id, place)
  if place.before then
    tool.error('not_running', ('Run %s is queued: it waits for run %s (%s) of the same session '
      .. 'to end. Kill that one, or spawn with another session_id'):format(
      id, place.before.id, one_line(place.before.command)))
  end
  tool.error('not_running', ('Run %s is %s: it waits for a place; end another run, or raise '
    .. 'limits.max_concurrent'):format(id, place.state))
end

-- Returns the handle once the run has started; a run that was just spawned may need a moment.
local function started(id)
  local handle = run.get(id)
  if not handle then
    local place = check(journal.queue(id, { wait_ms = QUEUE_WAIT_MS }))
    if place.state == 'queued' and not place.before then
      place = check(journal.queue(id, { wait_ms = START_WAIT_MS }))
    end
    if place.state == 'queued' then
      still_queued(id, place)
    end
    handle = check(run.get(id))
  end
  if not handle:info().started_ms then
    handle:wait { any = { { kind = 'start' } }, timeout_ms = START_WAIT_MS }
  end
  if not handle:info().started_ms then
    still_queued(id, { state = handle:info().state })
  end
  return handle
end

function actions.send_keys(args)
  local keys = required(args, 'keys', 'send_keys')
  local handle = started(required(args, 'run_id', 'send_keys'))
  local info = handle:info()
  if not info.pty and not info.stdin_open then
    local message = 'Run %s has no terminal to type into: spawn it with pty=true'
    tool.error('no_terminal', message:format(handle.id))
  end
  check(handle:send_keys(keys, { paste = args.paste }))
  handle:wait {
    all = { { kind = 'timer', ms = SETTLE_MS }, { kind = 'quiet', ms = SETTLE_MS } },
    timeout_ms = SETTLE_LIMIT_MS,
  }
  local data = { run_id = handle.id, status = handle:info().state, screen = format.screen(handle) }
  return { text = format.screen_text(data), data = data }
end

-- Runs a command without an action: it waits for the end.
local function one_shot(args)
  local handle = wait_for_end(args, 'a command without action')
  local data, cut = format.result(handle, args.max_output_bytes)
  return { text = format.result_text(data, cut), data = data }
end

local shell = tool {
  name = 'shell',
  title = 'Shell',
  description = 'Run a shell command. Without action it waits for the end. With action=spawn it '
    .. 'runs in the background; poll it with since_seq, or give watch patterns and be told. With '
    .. 'pty it has a terminal: type with send_keys, which gives the screen.',
  permission = 'execute',
  actions = { poll = 'read' },
  annotations = { destructive = true, idempotent = false, open_world = true },
  command = 'command',
  typed = 'keys',
  input = INPUT,
  output = OUTPUT,
  run = function(args, ctx)
    if args.action then
      return actions[args.action](args, ctx)
    end
    return one_shot(args)
  end,
}

return { name = 'shell', tools = { shell } }
