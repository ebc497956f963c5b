-- The toolset `safe_shell`: runs one program with its arguments, never a shell. The call waits for
-- it, or leaves it in the background with its output in files.

local DEFAULT_KEEP_ALIVE_S = 5
local MAX_KEEP_ALIVE_S = 30 * 24 * 60 * 60
local MAX_ARGS = 4000
local NOWHERE = '/dev/null'
-- How long a program must be silent after its input before its stdin is closed. Programs such as
-- sort need the end of their input; an interactive one would stop in the middle of its answer.
local INPUT_QUIET_MS = 500
-- The capacity of a pipe that nothing reads from.
local MAX_BACKGROUND_INPUT_BYTES = 64 * 1024
local EXCERPT_TOKENS = 8000
local OPEN_LIMIT_MS = 500 -- until its files are open
local WRITE_LIMIT_MS = 2000 -- until they have all its output
local MAX_NAME_BYTES = 252
local MAX_PATH_BYTES = 1024
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
  complete = schema.boolean { optional = true, description = 'false: a part was left out' },
}

local function wrong(field, message)
  tool.error('invalid_arguments', ('args.%s: %s'):format(field, message))
end

local function is_below(path, directory)
  local start = directory:gsub('/+$', '') .. '/'
  return path:sub(1, #start) == start
end

-- Returns the absolute, normalized path of a file that an argument names; nil when it names none.
local function absolute(field, path, ctx)
  if not path or path == NOWHERE then
    return path
  elseif path == '' or path:find '%z' then
    wrong(field, 'expected a path, got an empty one or one with a NUL byte')
  elseif path:sub(1, 1) == '~' then
    wrong(field, ("expected a path below the workspace, or an absolute one; '~' is not expanded, "
      .. "got '%s'"):format(path))
  elseif path:sub(-1) == '/' or path:find '/%.$' or path == '.' then
    wrong(field, ("expected a file, got the directory '%s'"):format(path))
  end
  local whole = path:sub(1, 1) == '/' and path or ctx.workspace .. '/' .. path
  local names = {}
  for name in whole:gmatch '[^/]+' do
    if name == '..' then
      wrong(field, ("expected a path without '..', got '%s'"):format(path))
    elseif #name > MAX_NAME_BYTES then
      wrong(field, ('expected names of at most %d bytes'):format(MAX_NAME_BYTES))
    elseif name ~= '.' then
      names[#names + 1] = name
    end
  end
  whole = '/' .. table.concat(names, '/')
  if not is_below(whole, ctx.workspace) and not is_below(whole, ctx.temp_directory) then
    local message = 'expected a file below the workspace (%s) or the temporary directory (%s), '
      .. "got '%s'"
    wrong(field, message:format(ctx.workspace, ctx.temp_directory, path))
  elseif #whole > MAX_PATH_BYTES then
    wrong(field, ('expected a path of at most %d bytes'):format(MAX_PATH_BYTES))
  end
  return whole
end

-- Returns the files of stdout and stderr, which are the same when the streams are merged.
local function paths_of(args, ctx)
  local stdout = absolute('stdout_file', args.stdout_file, ctx)
  local stderr = absolute('stderr_file', args.stderr_file, ctx)
  return { stdout = stdout, stderr = stderr or stdout, merged = not stderr or stderr == stdout }
end

local function logs_of(paths)
  local logs = {}
  for _, stream in ipairs { 'stdout', 'stderr' } do
    local path = paths[stream]
    local own = stream == 'stdout' or not paths.merged
    if own and path and path ~= NOWHERE then
      logs[#logs + 1] = { path = path, stream = stream }
    end
  end
  return #logs > 0 and logs or nil
end

-- Returns the argument that named a file.
local function field_of(paths, path)
  return path == paths.stdout and 'stdout_file' or 'stderr_file'
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
  local handle, err = run.start {
    argv = { args.command, unpack(args.args or {}) },
    stdin = 'pipe', -- stays open without input: some programs exit when stdin is closed at once
    merge_stderr = paths.merged,
    log = logs_of(paths),
    timeout_ms = (args.keep_alive or DEFAULT_KEEP_ALIVE_S) * 1000,
    timeout_signal = 'SIGKILL',
    detach = args.background == true,
    background = args.background == true,
  }
  if not handle then
    tool.error(err.code, err.message)
  end
  local broken = broken_log(handle, wait.log(handle), OPEN_LIMIT_MS)
  if broken then
    handle:kill { signal = 'SIGKILL' }
    tool.error('unavailable', ('args.%s: %s'):format(field_of(paths, broken.path), broken.error))
  end
  return handle
end

local function write(handle, input)
  local _, err = handle:write(input)
  if err and err.code ~= 'stdin_closed' then
    handle:kill { signal = 'SIGKILL' }
    tool.error(err.code, err.message)
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
    wrong('stdout_file', 'is required with background=true: the file that the output goes to')
  end
  if args.input and #args.input > MAX_BACKGROUND_INPUT_BYTES then
    wrong('input', ('has %d bytes; with background=true at most %d'):format(
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

-- Returns text that ends with a newline, unless it is empty.
local function ended_line(text)
  return (text == '' or text:sub(-1) == '\n') and text or text .. '\n'
end

local function text_of(data, keep_alive, problem)
  local text = data.output
  if data.stderr then
    text = ('[stdout]\n%s[stderr]\n%s'):format(ended_line(data.output), data.stderr)
  end
  local notes = {}
  if data.state == 'timeout' then
    notes[1] = ('[killed (SIGKILL) after keep_alive = %d s]'):format(keep_alive)
  elseif data.exit_code ~= 0 then
    notes[1] = ('[%s]'):format(data.reason or data.state)
  end
  notes[#notes + 1] = problem and ('[%s]'):format(problem)
  if #notes > 0 then
    return ended_line(text) .. table.concat(notes, '\n')
  end
  return text ~= '' and text or '(no output)'
end

local function wait_for_end(args, paths)
  local handle = start(args, paths)
  task.all {
    function() return handle:wait { any = { { kind = 'exit' } } } end,
    function() return args.input and feed(handle, args.input) end,
  }
  local broken = broken_log(handle, wait.log(handle, { written = true }), WRITE_LIMIT_MS)
  local info = handle:info()
  local out = handle:excerpt { budget_tokens = EXCERPT_TOKENS }
  local data = {
    id = handle.id, pid = info.pid, state = info.state, exit_code = info.exit_code,
    stdout_path = paths.stdout, stderr_path = paths.stderr, output = out.text,
    complete = out.complete, reason = info.reason,
  }
  if not paths.merged and paths.stderr ~= NOWHERE then
    local err = handle:excerpt { stream = 'stderr', budget_tokens = EXCERPT_TOKENS }
    data.stderr = err.text
    data.complete = data.complete and err.complete
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
    local paths = paths_of(args, ctx)
    return (args.background and in_background or wait_for_end)(args, paths)
  end,
}

return { name = 'safe_shell', tools = { safe_shell } }
