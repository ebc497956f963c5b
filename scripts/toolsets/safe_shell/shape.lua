-- What `safe_shell` takes and answers.
local failure = require 'toolsets.failure'

local M = {}

local MAX_KEEP_ALIVE_S = 30 * 24 * 60 * 60
local MAX_ARGS = 4000
-- A name without the characters that are special in a shell.
local PROGRAM = '^[^\\s;|&$<>`(){}\\[\\]*?!#~\'"\\\\]+$'

M.INPUT = schema.object {
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

M.OUTPUT = schema.object {
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

return M
