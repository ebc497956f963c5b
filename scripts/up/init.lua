-- What `gibbous up` loads where it is given no scripts: its own tools, and the shipped executors.
return {
  toolsets = { require 'toolsets.up' },
  executors = require 'executors',
}
