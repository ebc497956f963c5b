-- The toolset `safe_shell`: runs one program with its arguments, never a shell. The call waits for
-- it, or leaves it in the background with its output in files.
local checked = require 'toolsets.checked'
local failure = require 'toolsets.failure'
local files = require 'toolsets.safe_shell.files'
local format = require 'toolsets.format.output'
local reading = require 'toolsets.reading'
local shaped = require 'toolsets.shaped'
local text = require 'toolsets.format.text'

local DEFAULT_KEEP_ALIVE_S = 5
-- How long a program must be silent after its input before its stdin is closed. Programs such as
-- sort need the end of their input; an interactive one would stop in the middle of its answer.
local INPUT_QUIET_MS = 500
-- The capacity of a pipe that nothing reads from.
local MAX_BACKGROUND_INPUT_BYTES = 64 * 1024
local OPEN_LIMIT_MS = 500 -- until its files are open
local WRITE_LIMIT_MS = 2000 -- until they have all its output

local MAX_KEEP_ALIVE_S = 30 * 24 * 60 * 60
local MAX_ARGS = 4000
-- A name without the characters that are special in a shell.
local PROGRAM = '^[^\\s;|&$<>`(){}\\[\\]*?!#~\'"\\\\]+$'

local INPUT = schema.object {
  command = schema.string {
    description = 'The binary to run. No shell metacharacters.', pattern = PROGRAM,
  },
  args = schema.array(schema.string {}, {
    description = 'Arguments for the command.', max_items = MAX_ARGS, optional = true,
  }),
  input = schema.string {
    description = 'Stdin data to feed to the process.', optional = true,
  },
  stdout_file = schema.string {
    description = 'Path to write stdout to. Required for background tasks.', optional = true,
  },
  stderr_file = schema.string {
    description = 'Path to write stderr to. If not provided, stderr is merged into stdout_file. '
      .. "To discard stderr, use '/dev/null'.",
    optional = true,
  },
  background = schema.boolean {
    description = 'If true, starts the process and returns immediately (PID returned). You must '
      .. 'use stdout_file/stderr_file to capture output. (Default: false)',
    optional = true,
  },
  keep_alive = schema.integer {
    description = 'Duration in seconds. Blocking mode: process is Killed (SIGKILL) after this '
      .. 'time. Background mode: acts as a timeout signal (SIGKILL) if process exceeds duration. '
      .. 'Default: 5s.',
    minimum = 1, maximum = MAX_KEEP_ALIVE_S, optional = true,
  },
}

local OUTPUT = schema.object {
  id = schema.string { description = 'Run, for tools that take an id' },
  pid = schema.integer {},
  stdout_path = schema.string { optional = true },
  stderr_path = schema.string { optional = true },
  state = schema.string { optional = true, description = 'How it ended; timeout: by keep_alive' },
  exit_code = schema.integer { optional = true },
  reason = schema.string { optional = true },
  output = schema.string { optional = true, description = 'stdout, and stderr where it is merged' },
  stderr = schema.string { optional = true },
  error_excerpt = failure.FIELD,
  complete = schema.boolean { optional = true, description = 'false: a part was left out' },
}

-- Returns the answer as text; `keep_alive` in s, `problem` of a file.
local function text_of(data, keep_alive, problem)
  local shown = data.output
  if data.stderr then
    shown = ('[stdout]\n%s[stderr]\n%s'):format(text.ended(data.output), data.stderr)
  end
  local left = format.left_note(run.get(data.id), 'it ends with this call')
  local notes = { left ~= '' and left or nil }
  if not data.complete then
    local file = data.stdout_path
    notes[#notes + 1] = file and ('[all of it is in %s]'):format(file)
      or '[give stdout_file to keep what is left out]'
  end
  if data.state == 'timeout' then
    notes[#notes + 1] = ('[killed (SIGKILL) after keep_alive = %d s]'):format(keep_alive)
  elseif data.state ~= 'completed' then
    notes[#notes + 1] = ('[%s]'):format(data.reason or data.state)
  end
  local why = failure.beyond(shown, data, reading.bg)
  data.error_excerpt = failure.field(why)
  notes[#notes + 1] = why ~= '' and why:gsub('\n$', '') or nil
  notes[#notes + 1] = problem and ('[%s]'):format(problem)
  if #notes > 0 then
    return text.ended(shown) .. table.concat(notes, '\n')
  end
  return shown ~= '' and shown or '(no output)'
end

-- Waits for the files of the run and returns the first that cannot be written. On a slow disk the
-- wait ends earlier; what becomes of the files is then an event of the session.
local function broken_log(handle, condition, limit_ms)
  handle:wait { any = { condition }, timeout_ms = limit_ms }
  for _, file in ipairs(handle:info().log or {}) do
    if file.error then
      return file
    end
  end
end

local function start(args, paths)
  local handle = checked(run.start {
    argv = { args.command, unpack(args.args or {}) },
    stdin = 'pipe', -- stays open without input: some programs exit when stdin is closed at once
    merge_stderr = paths.merged,
    log = files.logs(paths),
    timeout_ms = (args.keep_alive or DEFAULT_KEEP_ALIVE_S) * 1000,
    timeout_signal = 'SIGKILL',
    detach = args.background == true,
    background = args.background == true,
  })
  local broken = broken_log(handle, wait.log(handle), OPEN_LIMIT_MS)
  if broken then
    handle:kill { signal = 'SIGKILL' }
    local field = files.field_of(paths, broken.path)
    tool.error('unavailable', ('args.%s: %s'):format(field, broken.error))
  end
  return handle
end

local function write(handle, input)
  local _, err = handle:write(input)
  if err and err.code ~= 'stdin_closed' then
    handle:kill { signal = 'SIGKILL' }
    checked(nil, err)
  end
end

-- Writes the input, and closes stdin once the program has been quiet.
local function feed(handle, input)
  write(handle, input)
  handle:wait { any = { { kind = 'exit' }, { kind = 'quiet', ms = INPUT_QUIET_MS } } }
  handle:close_stdin()
end

local function in_background(args, paths)
  if not paths.stdout then
    files.wrong('stdout_file', 'is required with background=true: the file that the output goes to')
  end
  if args.input and #args.input > MAX_BACKGROUND_INPUT_BYTES then
    files.wrong('input', ('has %d bytes; with background=true at most %d'):format(
      #args.input, MAX_BACKGROUND_INPUT_BYTES
    ))
  end
  local handle = start(args, paths)
  if args.input then
    write(handle, args.input)
    handle:close_stdin()
  end
  local pid = handle:info().pid
  return {
    text = ('{"pid": %d, "stdout_path": %s, "stderr_path": %s}'):format(
      pid, json.encode(paths.stdout), json.encode(paths.stderr)
    ),
    data = {
      id = handle.id, pid = pid, stdout_path = paths.stdout, stderr_path = paths.stderr,
    },
  }
end

local function wait_for_end(args, paths)
  local handle = start(args, paths)
  task.all {
    function() return handle:wait { any = { { kind = 'exit' } } } end,
    function() return args.input and feed(handle, args.input) end,
  }
  local broken = broken_log(handle, wait.log(handle, { written = true }), WRITE_LIMIT_MS)
  local info = handle:info()
  local texts, complete = shaped.output(handle)
  local data = {
    id = handle.id, pid = info.pid, state = info.state, exit_code = info.exit_code,
    stdout_path = paths.stdout, stderr_path = paths.stderr, output = texts.stdout,
    complete = complete, reason = info.reason,
  }
  if not paths.merged and paths.stderr ~= files.NOWHERE then
    data.stderr = texts.stderr
  end
  local problem = broken and broken.error
  return { text = text_of(data, args.keep_alive or DEFAULT_KEEP_ALIVE_S, problem), data = data }
end

local safe_shell = tool {
  name = 'safe_shell',
  title = 'Safe shell',
  description = 'Execute a specific binary safely. Supports blocking (wait for completion) or '
    .. 'background (start and detach) modes.',
  permission = 'execute',
  annotations = { destructive = true, idempotent = false, open_world = true },
  command = 'command',
  words = 'args',
  input = INPUT,
  output = OUTPUT,
  run = function(args, ctx)
    local paths = files.of(args, ctx)
    return (args.background and in_background or wait_for_end)(args, paths)
  end,
}

return { name = 'safe_shell', tools = { safe_shell } }
