-- The toolset `services`: commands that depend on one another, started together and kept running.
local describe = require 'toolsets.services.describe'
local memory_run = require 'toolsets.memory_run'
local ready = require 'toolsets.services.ready'
local services = require 'services'
local shape = require 'toolsets.services.shape'
local shaped = require 'toolsets.shaped'

local NAME = 'start_services'

-- Returns the session's runs that services may come after, by label: for each label the newest run
-- that is still running or has completed. Also returns the ids of services that are still running.
local function known_runs(ctx)
  local known, services_now = {}, {}
  for _, info in ipairs(run.list { session = ctx.session }) do
    if info.label then
      local counts = memory_run.GOES_ON[info.state] or info.state == 'completed'
      known[info.label] = counts and run.get(info.id) or nil
      local service = memory_run.GOES_ON[info.state] and info.tool == NAME
      services_now[info.label] = service and info.id or services_now[info.label]
    end
  end
  return known, services_now
end

local function refuse_doubles(list, services_now)
  for _, service in ipairs(list) do
    local id = services_now[service.name]
    if id then
      tool.error('invalid_arguments', ('service %s: name: one of this name runs already, id=%s: '
        .. 'end it first (bg_kill, or background with action=kill), or choose another name')
        :format(service.name, id))
    end
  end
end

-- Makes the library's declarations from the arguments.
local function declared(args, ctx, known)
  local list = {}
  for index, asked in ipairs(args.services) do
    list[index] = {
      name = asked.name, command = asked.command, cwd = asked.cwd, after = asked.after,
      restart = asked.restart, ready = ready.conditions(asked.ready, ctx, args.timeout),
    }
  end
  local good, problem = pcall(services.check, list, known, ready.argument_of)
  if not good then
    tool.error('invalid_arguments', tostring(problem))
  end
  return list
end

-- Waits until a service is ready or can no longer become ready, through restarts. It gives up on a
-- service that stays queued after the time that all services together may take.
local function settle(handle, limit_ms)
  while true do
    handle = memory_run.newest(handle)
    local answer = handle:wait { any = { wait.ready(handle) }, timeout_ms = limit_ms }
    if not answer or answer.ok or memory_run.newest(handle).id == handle.id then
      return handle
    end
  end
end

local start = tool {
  name = NAME,
  title = 'Start services',
  description = 'Start $SHELL commands that belong together (database, API, web server) in the '
    .. 'background, each when those before it are ready, and wait until all are ready. Failed ones '
    .. 'can be started again. You are told later when one ends or becomes ready again.',
  permission = 'execute',
  annotations = { destructive = true, idempotent = false, open_world = true },
  input = shape.INPUT,
  output = shape.OUTPUT,
  run = function(args, ctx)
    local known, services_now = known_runs(ctx)
    local list = declared(args, ctx, known)
    refuse_doubles(list, services_now)
    local handles, problems = services.start(list, true, { known = known })
    local names = describe.add_names(known, {})
    local lines, reasons, data, all_ready = {}, {}, json.array {}, true
    for index, service in ipairs(list) do
      local handle = handles[service.name]
      if handle and args.wait then
        tool.progress(index - 1, #list, 'waiting for ' .. service.name)
        handle = settle(handle, args.timeout * #list)
      end
      describe.add_names(handles, names)
      local facts, line = describe.service(service, handle, problems[service.name], names)
      data[index] = facts
      lines[index] = line
      reasons[index] = args.wait and describe.why(facts, handle) or ''
      all_ready = all_ready and (facts.ready or facts.state == 'completed')
    end
    return {
      text = shaped.with_reasons(lines, reasons, 'bg_status or read_process_output'),
      data = { ready = all_ready, services = data },
    }
  end,
}

return { name = 'services', tools = { start } }
