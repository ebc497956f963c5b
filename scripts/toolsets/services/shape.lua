-- What `start_services` takes and answers.
local ready = require 'toolsets.services.ready'

local M = {}

local MAX_SERVICES = 32
local MAX_TIMEOUT_MS = 600000
local DEFAULT_TIMEOUT_MS = 60000

local RESTART = schema.object({
  max = schema.integer { minimum = 1, maximum = 1000, default = 3, description = 'How often' },
  backoff_ms = schema.integer {
    minimum = 0, maximum = 60000, default = 500,
    description = 'Pause before the first time, twice as long each time',
  },
  on_failure = schema.boolean {
    default = true, description = 'false: also after exit code 0',
  },
}, { optional = true, description = 'Start it again when it fails (default: no)' })

local SERVICE = schema.object {
  name = schema.string { min_length = 1, description = 'Letters, digits, _ . and -' },
  command = schema.string { min_length = 1, description = 'Shell command' },
  cwd = schema.string { optional = true, description = 'Directory (default: the workspace)' },
  after = schema.array(schema.string {}, {
    optional = true, description = 'Names of services that must be ready before it starts, '
      .. 'also of earlier calls',
  }),
  ready = ready.SCHEMA,
  restart = RESTART,
}

M.INPUT = schema.object {
  services = schema.array(SERVICE, { min_items = 1, max_items = MAX_SERVICES }),
  timeout = schema.integer {
    minimum = 0, maximum = MAX_TIMEOUT_MS, default = DEFAULT_TIMEOUT_MS,
    description = 'ms that each may take to become ready (default: 60000)',
  },
  wait = schema.boolean {
    default = true, description = 'false: return at once (default: true)',
  },
}

M.OUTPUT = schema.object {
  ready = schema.boolean { description = 'All of them are, or have ended with exit code 0' },
  services = schema.array(schema.object {
    name = schema.string {},
    id = schema.string { optional = true },
    pid = schema.integer { optional = true },
    state = schema.string {},
    ready = schema.boolean {},
    reason = schema.string { optional = true },
    restarts = schema.integer { optional = true },
  }),
}

return M
