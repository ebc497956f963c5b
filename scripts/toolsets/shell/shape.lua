-- The arguments and the result of the tool `shell`.
local asked_watch = require 'toolsets.asked_watch'
local buffering = require 'toolsets.buffering'
local failure = require 'toolsets.failure'
local wishes = require 'toolsets.wishes'

local M = {}

local MAX_SEQ = 2 ^ 32
local MAX_PRIORITY = 1000

M.INPUT = schema.object {
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
    description = 'Output that is kept and given; above it the beginning and the end are. '
      .. 'poll: size of the answer (default: 8000)',
  },
  watch = asked_watch.schema('spawn: lines to tell of: '),
  allow = wishes.SCHEMA,
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
  request_id = schema.string {
    description = 'spawn: your id of this call; a call that repeats it gives the same run',
    min_length = 1, max_length = 256, optional = true, rare = true,
  },
  priority = schema.integer {
    description = 'spawn: runs with a higher one start first (default: 0)',
    minimum = -MAX_PRIORITY, maximum = MAX_PRIORITY, optional = true, rare = true,
  },
  session_id = schema.string {
    description = 'spawn: name of the queue it waits in (default: yours)', optional = true,
  },
}

M.OUTPUT = schema.object {
  run_id = schema.string { optional = true },
  session_id = schema.string { optional = true },
  status = schema.string { description = 'queued, starting, running, or how it ended' },
  behind = schema.string { optional = true, description = 'spawn: the run that it waits for' },
  exit_code = schema.integer { optional = true },
  reason = schema.string { optional = true },
  thrown_away = schema.string { optional = true, description = 'What it changed in a copy' },
  hint = buffering.FIELD,
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
  error_excerpt = failure.FIELD,
}

return M
