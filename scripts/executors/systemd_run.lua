-- Runs commands as transient services of the user's systemd, which enforces their limits and knows
-- all their processes. It needs a user manager: `systemctl --user` must work.
local command = require 'executors.command'
local environment = require 'executors.environment'

local SLACK = 0.5 -- rounds halves up

local PROPERTIES = {
  memory_bytes = function(bytes) return { 'MemoryMax=' .. bytes, 'MemorySwapMax=0' } end,
  cpu_share = function(share) return { ('CPUQuota=%d%%'):format(share * 100 + SLACK) } end,
  pids = function(pids) return { 'TasksMax=' .. pids } end,
}
local LIMITS = { 'memory_bytes', 'cpu_share', 'pids' }

local function add_limits(words, limits)
  local held = json.array {}
  for _, name in ipairs(LIMITS) do
    if limits[name] then
      for _, property in ipairs(PROPERTIES[name](limits[name])) do
        command.add(words, '--property', property)
      end
      held[#held + 1] = name
    end
  end
  return held
end

local function prepare(spec)
  if spec.sandbox then
    tool.error('invalid_arguments', ('sandbox: systemd-run cannot enforce profile %s; run it '
      .. 'without one, or on the host'):format(spec.sandbox.profile))
  end
  local program = spec.settings.program
  local unit = 'gibbous-' .. spec.run
  local argv = {
    program, '--user', '--quiet', '--wait', spec.stdin == 'terminal' and '--pty' or '--pipe',
    '--collect', '--service-type=exec', '--unit', unit, '--working-directory', spec.cwd,
  }
  local words, env, names = environment.inside(command.words(spec, spec.shell), spec.env)
  for _, name in ipairs(names) do
    command.add(argv, '--setenv', name)
  end
  local held = add_limits(argv, spec.limits)
  command.add(argv, '--')
  command.add(argv, unpack(words))
  return {
    argv = argv, env = env, holds = held, sandbox = 'own',
    cleanup = { spec.settings.systemctl, '--user', 'stop', unit .. '.service' },
    state = { unit = unit, systemctl = spec.settings.systemctl },
  }
end

-- The client ends with the command's exit code. systemd forgets the reason of the end with the
-- unit, so only SIGKILL of a run with a memory limit counts as that limit, which it nearly always
-- is.
local KILLED = 137

local function ended(event)
  local limit = event.limits.memory_bytes
  if limit and event.exit_code == KILLED then
    return { reason = 'out of memory', limit = 'memory', clean = true }
  end
  return { clean = event.signal == nil }
end

-- Measures a unit with what systemd reads from its control group. TasksCurrent counts threads, too.
local COUNTED = { 'TasksCurrent', 'MemoryCurrent', 'CPUUsageNSec' }
local NOT_COUNTED = 2 ^ 63 -- systemd prints this or more, or a word, when it does not count
local NANOS_PER_MILLI = 1000000

local function usage(event)
  local argv = { event.state.systemctl, '--user', 'show', event.state.unit .. '.service' }
  for _, property in ipairs(COUNTED) do
    command.add(argv, '--property', property)
  end
  local counted = {}
  for property, number in (command.output(argv) or ''):gmatch '(%a+)=(%d+)' do
    counted[property] = tonumber(number)
  end
  for _, property in ipairs(COUNTED) do
    if not counted[property] or counted[property] >= NOT_COUNTED then
      return nil
    end
  end
  return {
    processes = counted.TasksCurrent, rss_bytes = counted.MemoryCurrent,
    cpu_time_ms = math.floor(counted.CPUUsageNSec / NANOS_PER_MILLI),
  }
end

return {
  name = 'systemd-run',
  settings = schema.object {
    program = schema.string { default = 'systemd-run' },
    systemctl = schema.string { default = 'systemctl' },
  },
  prepare = prepare,
  ended = ended,
  usage = usage,
}
