-- Runs a command in a process namespace of its own, with the program `unshare` (util-linux): when
-- the first process in it ends, the kernel ends all others at once, whatever they did to hide. It
-- restricts nothing else, and other processes of the machine are not seen inside.
local command = require 'executors.command'
local environment = require 'executors.environment'

-- Root needs no user namespace, and would lose its rights in one.
local SCRIPT = [[
if [ "$(id -u)" -eq 0 ]; then own=; else own='--user --map-current-user'; fi
exec "$0" $own --pid --fork --kill-child --mount-proc -- "$@"
]]

local function prepare(spec)
  if spec.sandbox then
    tool.error('invalid_arguments', ('sandbox: a process namespace cannot be made within profile '
      .. '%s; use the executor bwrap, which has one and applies profiles'):format(
      spec.sandbox.profile))
  end
  local argv = { '/bin/sh', '-c', SCRIPT, spec.settings.program }
  local words, env = environment.inside(command.words(spec, spec.shell), spec.env)
  command.add(argv, unpack(words))
  return { argv = argv, env = env, cwd = spec.cwd }
end

---@type Executor
return {
  name = 'pid-namespace',
  settings = schema.object {
    program = schema.string { default = 'unshare', description = 'Name or path of unshare' },
  },
  prepare = prepare,
}
