-- What `gibbous up` loads by default: its own tools and the shipped executors.
return {
  toolsets = { require 'toolsets.up' },
  executors = require 'executors',
}
