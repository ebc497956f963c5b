-- The toolset `safe_shell`: runs one program with its arguments, never a shell. The call waits for
-- it, or leaves it in the background with its output in files.
local checked = require 'toolsets.checked'
local files = require 'toolsets.safe_shell.files'
local shape = require 'toolsets.safe_shell.shape'
local shaped = require 'toolsets.shaped'
local text_of = require 'toolsets.safe_shell.text'

local DEFAULT_KEEP_ALIVE_S = 5
-- How long a program must be silent after its input before its stdin is closed. Programs such as
-- sort need the end of their input; an interactive one would stop in the middle of its answer.
local INPUT_QUIET_MS = 500
-- The capacity of a pipe that nothing reads from.
local MAX_BACKGROUND_INPUT_BYTES = 64 * 1024
local OPEN_LIMIT_MS = 500 -- until its files are open
local WRITE_LIMIT_MS = 2000 -- until they have all its output

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
  input = shape.INPUT,
  output = shape.OUTPUT,
  run = function(args, ctx)
    local paths = files.of(args, ctx)
    return (args.background and in_background or wait_for_end)(args, paths)
  end,
}

return { name = 'safe_shell', tools = { safe_shell } }
