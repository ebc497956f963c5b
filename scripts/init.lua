-- What ships: the toolsets of every runtime that is not given scripts of its own, those that are
-- read where --toolset or the configuration names them, and the executors that it may name.
return {
  toolsets = {
    require 'toolsets.bg',
    require 'toolsets.wait',
  },
  optional = {
    lean = function() return require 'toolsets.lean' end,
    shell = function() return require 'toolsets.shell' end,
    safe_shell = function() return require 'toolsets.safe_shell' end,
    process = function() return require 'toolsets.process' end,
    background = function() return require 'toolsets.background' end,
    services = function() return require 'toolsets.services' end,
  },
  executors = require 'executors',
}
