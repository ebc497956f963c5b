-- What `process` takes, answers and can be configured with.
local buffering = require 'toolsets.buffering'
local failure = require 'toolsets.failure'
local status = require 'toolsets.process.status'

local M = {}

local DEFAULT_TAIL = 50
local MAX_TAIL = 10000

M.SETTINGS = schema.object {
  max_concurrent = schema.integer {
    minimum = 1, maximum = 1000, default = 5,
    description = 'Processes of one session that run at the same time',
  },
  max_output_bytes = schema.integer {
    minimum = 4096, maximum = 1073741824, default = 1048576,
    description = "What a process's output file may hold",
  },
}

M.INPUT = schema.object {
  action = schema.string {
    enum = { 'start', 'status', 'output', 'stop', 'list' }, description = 'Action to perform',
  },
  command = schema.string {
    description = "Shell command to run (for 'start' action)", optional = true,
  },
  pid = schema.string {
    description = 'Process ID (for status/output/stop actions)', optional = true,
  },
  tail = schema.integer {
    description = "Number of output lines to return (for 'output' action)",
    default = DEFAULT_TAIL, minimum = 0, maximum = MAX_TAIL,
  },
}

M.OUTPUT = schema.object {
  id = schema.string { optional = true },
  pid = schema.string { optional = true },
  process = schema.object(status.FIELDS, { optional = true }),
  processes = schema.array(schema.object(status.FIELDS), { optional = true }),
  stdout = schema.string { optional = true },
  stderr = schema.string { optional = true },
  error_excerpt = failure.FIELD,
  hint = buffering.FIELD,
  stopped = schema.boolean { optional = true, description = 'false: it had ended before' },
}

return M
