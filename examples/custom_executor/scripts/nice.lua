-- An executor that runs commands on this machine with a low priority, and only on some processors.
local command = require 'executors.command'

return {
  name = 'nice',
  settings = schema.object {
    niceness = schema.integer { minimum = 1, maximum = 19, default = 10 },
    cpus = schema.string { optional = true, description = 'Processors for taskset: 0,2-3' },
  },
  prepare = function(spec)
    local argv = { 'nice', '-n', tostring(spec.settings.niceness) }
    if spec.settings.cpus then
      argv = { 'taskset', '--cpu-list', spec.settings.cpus, unpack(argv) }
    end
    command.add(argv, unpack(command.words(spec, spec.shell)))
    return { argv = argv, env = spec.env }
  end,
}
