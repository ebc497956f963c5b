-- The arguments and the result of the tool `shell`.
local named_watchers = require 'watchers.named'

local M = {}

local MAX_SEQ = 2 ^ 32

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
    description = 'spawn: name of the queue it waits in (default: yours)', optional = true,
  },
}

M.OUTPUT = schema.object {
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

return M
