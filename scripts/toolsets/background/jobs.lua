-- The tools `run_cmd`, `run_test` and `run_build`: commands that end.
local checked = require 'toolsets.checked'
local common = require 'toolsets.background.common'
local format = require 'toolsets.format'
local own_runs = require 'toolsets.own_runs'
local result = require 'toolsets.shell.result'

local RESULT = schema.object({
  id = schema.string {},
  status = schema.string {},
  exit_code = schema.integer { optional = true },
  stdout = schema.string { optional = true },
  stderr = schema.string { optional = true },
}, { additional = true })

-- Runs a command and waits for its end.
local function wait_for_end(command, args)
  local handle = checked(run.start {
    command = command, cwd = args.cwd, background = false,
    timeout_ms = common.timeout_ms(args, nil), limits = args.limits,
  })
  handle:wait { any = { { kind = 'exit' } } }
  local data = result.data(handle)
  local text = result.text(data, ('read_process_output id=%s with stream and from'):format(
    handle.id))
  data.id, data.run_id = data.run_id, nil
  return { text = text, data = data }
end

local function start_job(command, args, ctx)
  local handle = own_runs.start(common.owner_of(ctx), {
    command = command, cwd = args.cwd, limits = args.limits,
    timeout_ms = common.timeout_ms(args, 0),
  })
  local info = handle:info()
  return {
    text = ('Started job_id=%s pid=%d: %s. You are told when it ends; read_process_output shows '
      .. 'its output.'):format(handle.id, info.pid, format.one_line(command)),
    data = { job_id = handle.id, id = handle.id, pid = info.pid, status = info.state },
  }
end

local run_cmd = tool {
  name = 'run_cmd',
  title = 'Run a command',
  description = 'Run a $SHELL command and wait for its end.',
  permission = 'execute',
  annotations = { destructive = true, idempotent = false, open_world = true },
  takes_limits = true,
  command = 'cmd',
  input = schema.object {
    cmd = schema.string { description = 'Shell command' },
    cwd = common.CWD, timeout = common.TIMEOUT,
  },
  output = RESULT,
  run = function(args)
    common.not_empty(args, 'cmd')
    return wait_for_end(args.cmd, args)
  end,
}

-- run_test and run_build: a command of the configuration, in the foreground or the background.
local function project_tool(name, title, what, setting)
  return tool {
    name = name,
    title = title,
    description = ('%s and wait for the end, or with background=true return a job_id at once.')
      :format(what),
    permission = 'execute',
    annotations = { destructive = true, idempotent = false, open_world = true },
    takes_limits = true,
    command = 'command',
    input = schema.object {
      background = schema.boolean {
        description = 'Return at once', default = false,
      },
      command = schema.string {
        description = "Shell command instead of the project's own", optional = true,
      },
      timeout = common.TIMEOUT,
    },
    output = RESULT,
    run = function(args, ctx)
      common.not_empty(args, 'command')
      local command = args.command or ctx.settings[setting]
      if args.background then
        return start_job(command, args, ctx)
      end
      return wait_for_end(command, args)
    end,
  }
end

return {
  run_cmd,
  project_tool('run_test', 'Run the tests', "Run the project's tests", 'test_command'),
  project_tool('run_build', 'Run the build', 'Build the project', 'build_command'),
}
