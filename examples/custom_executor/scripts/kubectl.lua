-- An executor that runs each command in a pod of its own. The client is the run's process. The
-- cleanup command deletes the pod when the run is killed or its host dies, and `ended` deletes it
-- when the command ends by itself.
local command = require 'executors.command'

local function client(settings)
  return { settings.program, '--namespace', settings.namespace }
end

local function with(words, ...)
  local all = { unpack(words) }
  command.add(all, ...)
  return all
end

return {
  name = 'kubectl',
  settings = schema.object {
    image = schema.string { min_length = 1 },
    namespace = schema.string { default = 'default' },
    program = schema.string { default = 'kubectl' },
  },
  prepare = function(spec)
    if spec.sandbox then
      tool.error('invalid_arguments', 'sandbox: a pod cannot hold ' .. spec.sandbox.profile)
    end
    local base = client(spec.settings)
    local pod = 'gibbous-' .. spec.host:match '(%d+)/%d+$' .. '-' .. spec.run:lower()
    local argv = with(base, 'run', pod, '--image', spec.settings.image, '--restart', 'Never',
      '--attach', '--quiet')
    for name, value in pairs(spec.env) do
      command.add(argv, '--env', name .. '=' .. value)
    end
    command.add(argv, '--command', '--', unpack(command.words(spec)))
    local delete = with(base, 'delete', 'pod', pod, '--ignore-not-found', '--wait=false')
    return { argv = argv, cwd = '/', cleanup = delete, sandbox = 'own', state = delete }
  end,
  ended = function(event)
    return { clean = command.output(event.state) ~= nil }
  end,
}
