-- What the runtime of `:Gibbous up` loads, as `gibbous up` does: its own tools, and the executors.
return {
  toolsets = { require 'toolsets.up' },
  executors = require 'executors',
}
