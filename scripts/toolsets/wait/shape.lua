-- What `wait_for` takes and answers.
local marks = require 'toolsets.marks'

local M = {}

local DEFAULT_TIMEOUT_MS = 30000
local MAX_TIMEOUT_MS = 600000
local MAX_IDS = 20

-- The fields of a condition that came true.
local FIRED = schema.object {
  kind = schema.string {
    enum = {
      'exit', 'port', 'regex', 'screen', 'http', 'quiet', 'input', 'file', 'timer',
    },
    description = 'Which condition came true',
  },
  index = schema.integer { description = 'Its place among the conditions, from 1' },
  run = schema.string { optional = true, description = 'Process ID that it is about' },
  state = schema.string { optional = true, description = 'exit: how it ended' },
  exit_code = schema.integer { optional = true },
  reason = schema.string { optional = true },
  stream = schema.string { optional = true, description = 'regex: stdout or stderr' },
  line = schema.string {
    optional = true, description = 'regex, screen: the line; input: the prompt',
  },
  captures = schema.array(schema.string {}, {
    optional = true, description = 'regex, screen: groups',
  }),
  cursor = schema.integer { optional = true, description = 'regex: offset after the line' },
  age_ms = schema.integer {
    optional = true, description = 'regex: the line was there already, for so long',
  },
  column = schema.integer { optional = true, description = 'regex: where the match begins' },
  row = schema.integer { optional = true, description = 'screen: its row, from 1' },
  port = schema.integer { minimum = 1, maximum = 65535, optional = true },
  mapped_from = schema.integer { optional = true, description = 'port: as the process has it' },
  address = schema.string { optional = true, description = 'port: what answered' },
  pid = schema.integer { optional = true, description = 'port, input: the process' },
  url = schema.string { optional = true },
  mapped_url = schema.string { optional = true, description = 'http: what was asked for it' },
  status = schema.integer { optional = true, description = 'http: the status' },
  path = schema.string { optional = true },
}

M.INPUT = schema.object {
  id = schema.string { optional = true },
  ids = schema.array(schema.string {}, {
    description = 'Several process IDs', max_items = MAX_IDS, optional = true, rare = true,
  }),
  port = schema.integer { minimum = 1, maximum = 65535, optional = true },
  host = schema.string {
    description = 'Host of the port (default: this machine, IPv4 or IPv6)', optional = true,
    rare = true,
  },
  output_regex = schema.string {
    description = 'RE2 of an output line', optional = true,
  },
  stream = schema.string {
    enum = { 'stdout', 'stderr' }, description = 'Only this stream (default: both)',
    optional = true, rare = true,
  },
  since = marks.SCHEMA,
  screen_regex = schema.string {
    description = 'RE2 that a row of the terminal matches', min_length = 1, optional = true,
    rare = true,
  },
  http = schema.string { optional = true },
  http_status = schema.integer {
    minimum = 100, maximum = 599, optional = true, rare = true,
    description = 'Status that it must answer with (default: any from 200 to 399)',
  },
  exit = schema.boolean { optional = true },
  quiet_ms = schema.number { minimum = 1, optional = true },
  input = schema.boolean { optional = true },
  file = schema.string { description = 'Path that exists', optional = true, rare = true },
  timer_ms = schema.number {
    minimum = 0, description = 'So many ms have passed', optional = true, rare = true,
  },
  resume = schema.string {
    optional = true, rare = true,
    description = 'Go on with a wait that timed out, as its result says',
  },
  mode = schema.string {
    enum = { 'any', 'all' }, default = 'any', rare = true,
    description = 'Wait for any or for all of them (default: any)',
  },
  timeout = schema.number {
    minimum = 0, maximum = MAX_TIMEOUT_MS, default = DEFAULT_TIMEOUT_MS,
    description = 'ms',
  },
}

M.SETTINGS = schema.object {
  answer_within_ms = schema.number {
    minimum = 100, maximum = MAX_TIMEOUT_MS, optional = true,
    description = 'A wait is given up by then, for clients that wait no longer',
  },
}

M.OUTPUT = schema.object { fired = schema.array(FIRED), elapsed_ms = schema.integer {} }

return M
