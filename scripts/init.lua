-- What ships: the toolsets of every runtime that is not given scripts of its own, and the executors
-- that its configuration may name.
return {
  toolsets = {
    require 'toolsets.bg',
    require 'toolsets.wait',
    require 'toolsets.shell',
  },
  executors = require 'executors',
}
