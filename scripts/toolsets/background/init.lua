-- The toolset `background`: long-running commands beside the work, and tests and builds in either
-- way.
local any_run = require 'toolsets.any_run'
local background_wait = require 'toolsets.background.wait'
local bg_read = require 'toolsets.bg.read'
local buffering = require 'toolsets.buffering'
local checked = require 'toolsets.checked'
local ending = require 'toolsets.ending'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local last_output = require 'toolsets.last_output'
local own_runs = require 'toolsets.own_runs'
local ports = require 'toolsets.background.port'
local reading = require 'toolsets.reading'
local result = require 'toolsets.shell.result'
local shaped = require 'toolsets.shaped'

local SETTINGS = schema.object {
  max_concurrent = schema.integer {
    minimum = 1, maximum = 1000, default = 3,
    description = 'Background processes of one session that run at the same time',
  },
  test_command = schema.string {
    min_length = 1, default = 'make test', description = 'What run_test runs',
  },
  build_command = schema.string {
    min_length = 1, default = 'make', description = 'What run_build runs',
  },
}

local MAX_TIMEOUT_S = 30 * 24 * 60 * 60
local STARTERS = { run_background = true, run_test = true, run_build = true }

local ID = schema.string { description = 'process_id or job_id' }
local CWD = schema.string {
  description = 'Directory (default: the workspace)', optional = true,
}
local TIMEOUT = schema.number {
  description = 'Time limit in seconds', minimum = 0, maximum = MAX_TIMEOUT_S, optional = true,
}

-- Returns the owner of the processes of a call, for own_runs.
local function owner_of(ctx)
  return {
    toolset = 'background', tools = STARTERS, session = ctx.session,
    max = ctx.settings.max_concurrent,
    hint = 'End one with stop_process; list_processes shows them.',
  }
end

-- Ends the call when the argument is given and is no command.
local function not_empty(args, name)
  local command = args[name]
  if command and (command == '' or command:find '%z') then
    local what = command == '' and 'is empty' or 'has a NUL byte'
    tool.error('invalid_arguments', ('args.%s: %s; expected a command'):format(name, what))
  end
end

-- Returns the time limit of a call in milliseconds.
local function timeout_ms(args, default)
  return args.timeout and args.timeout * 1000 or default
end

local MAX_WORDS = 10000
local MAX_PORTS = 20

local run_background = tool {
  name = 'run_background',
  title = 'Run in background',
  description = 'Start a long-running command (dev server, database, watcher) and return at once. '
    .. 'Then wait_for_service or wait_for_port; you are told when it ends.',
  permission = 'execute',
  annotations = { destructive = true, idempotent = false, open_world = true },
  takes_limits = true,
  command = 'cmd',
  input = schema.object {
    cmd = schema.string {
      description = 'Line for the $SHELL; together with args: one program, without a shell',
    },
    args = schema.array(schema.string {}, {
      description = 'Arguments', max_items = MAX_WORDS, optional = true,
    }),
    ports = schema.array(schema.string { pattern = '^([0-9]{1,5}:)?[0-9]{1,5}$' }, {
      description = 'Container ports: "3000" or "8080:3000" (host:container)',
      max_items = MAX_PORTS, optional = true,
    }),
    cwd = CWD,
  },
  output = schema.object {
    id = schema.string {},
    process_id = schema.string {},
    pid = schema.integer {},
    command = schema.string {},
    ports = schema.any { optional = true },
  },
  run = function(args, ctx)
    not_empty(args, 'cmd')
    local asked = ports.parse(args.ports)
    local options = {
      cwd = args.cwd, timeout_ms = 0, limits = args.limits, ports = ports.texts(asked),
    }
    if args.args then
      options.argv = { args.cmd, unpack(args.args) }
    else
      options.command = args.cmd
    end
    local taken = ports.taken(asked)
    local handle = own_runs.start(owner_of(ctx), options)
    local info = handle:info()
    local mapped, note = ports.of_run(info, asked, taken)
    return {
      text = ('Started process_id=%s pid=%d: %s%s'):format(
        handle.id, info.pid, format.one_line(info.command), note
      ),
      data = {
        id = handle.id, process_id = handle.id, pid = info.pid, command = info.command,
        ports = mapped,
      },
    }
  end,
}

local stop_process = tool {
  name = 'stop_process',
  title = 'Stop a process',
  description = 'Terminate a background process and everything that it started.',
  permission = 'execute',
  annotations = { destructive = true, idempotent = true, open_world = false },
  input = schema.object { process_id = ID },
  output = schema.object {
    process_id = schema.string {},
    stopped = schema.boolean { description = 'false: it had ended before' },
    state = schema.string {},
    exit_code = schema.integer { optional = true },
    error_excerpt = failure.FIELD,
  },
  run = function(args)
    local ended = ending.of(args.process_id, { reading = reading.background })
    local data = {
      process_id = ended.id, stopped = ended.stopped, state = ended.info.state,
      exit_code = ended.info.exit_code,
    }
    return ending.answer(ended, data, reading.background)
  end,
}

-- The output schemas are small, because a model pays for them in every session and reads the text.
-- They declare what programs continue with and allow additional fields.
local STATUS = schema.object({
  id = schema.string {},
  state = schema.string {},
  pid = schema.integer {},
  exit_code = schema.integer { optional = true },
}, { additional = true })

local function status_of(info, usage)
  return {
    id = info.id, command = info.command, state = info.state, exit_code = info.exit_code,
    reason = info.reason, limit = info.limit, pid = info.pid, runtime_ms = info.runtime_ms,
    left_behind = info.left_behind, usage = usage,
  }
end

local list_processes = tool {
  name = 'list_processes',
  title = 'List processes',
  description = 'Background processes and jobs: status, exit code, processor and memory, ports.',
  permission = 'read',
  output = schema.object { processes = schema.array(STATUS) },
  run = function(_, ctx)
    local infos = own_runs.list(owner_of(ctx))
    local usages = format.usages(infos)
    local data = json.array {}
    for index, info in ipairs(infos) do
      data[index] = status_of(info, usages[index])
    end
    local function line_of(index)
      return format.status_line(infos[index], usages[index])
    end
    local text = #infos > 0 and shaped.list(line_of, infos, 'read_process_output')
      or 'No background processes.'
    return { text = text, data = { processes = data } }
  end,
}

local DEFAULT_LINES = 50
local MAX_LINES = 10000
local MAX_OFFSET = 2 ^ 53
-- Beside a note and the state.
local OUTPUT_BYTES = shaped.MAX_CHARS - 900

-- Reads one stream on from an offset.
local function from_offset(handle, args)
  if not args.stream then
    tool.error('invalid_arguments', "args.stream: expected 'stdout' or 'stderr', which `from` is "
      .. 'an offset of')
  elseif not handle then
    tool.error('invalid_arguments', 'args.from: only the journal knows this process any more; '
      .. 'leave it out')
  end
  local part = bg_read.from(handle, args.stream, args.from, OUTPUT_BYTES)
  local texts = { stdout = '', stderr = '' }
  texts[args.stream] = part.text
  return format.section(args.stream, part), texts
end

local read_process_output = tool {
  name = 'read_process_output',
  title = 'Read output',
  description = 'The last lines of stdout and stderr of a background process or job.',
  permission = 'read',
  input = schema.object {
    id = ID,
    lines = schema.integer {
      description = 'Lines of each stream',
      default = DEFAULT_LINES, minimum = 0, maximum = MAX_LINES,
    },
    stream = schema.string { enum = shaped.STREAMS, optional = true, rare = true },
    from = schema.integer {
      description = 'Offset in the stream to read on from, as a note names it',
      minimum = 0, maximum = MAX_OFFSET, optional = true, rare = true,
    },
  },
  output = schema.object {
    id = schema.string {},
    state = schema.string {},
    exit_code = schema.integer { optional = true },
    stdout = schema.string {},
    stderr = schema.string {},
    error_excerpt = failure.FIELD,
    hint = buffering.FIELD,
  },
  run = function(args, ctx)
    local info, handle = any_run.known(args.id)
    local text, texts, why, hint
    if args.from then
      text, texts = from_offset(handle, args)
    else
      text, texts, why, hint = last_output.of(info, handle, args.lines, {
        session = ctx.session, only = args.stream, reading = reading.background,
      })
    end
    return {
      text = text,
      data = {
        id = info.id, state = info.state, exit_code = info.exit_code,
        stdout = texts.stdout, stderr = texts.stderr, error_excerpt = failure.field(why or ''),
        hint = hint,
      },
    }
  end,
}

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
    timeout_ms = timeout_ms(args, nil), limits = args.limits,
  })
  handle:wait { any = { { kind = 'exit' } } }
  local data = result.data(handle)
  local text = result.text(data, ('read_process_output id=%s with stream and from'):format(
    handle.id))
  data.id, data.run_id = data.run_id, nil
  return { text = text, data = data }
end

local function start_job(command, args, ctx)
  local handle = own_runs.start(owner_of(ctx), {
    command = command, cwd = args.cwd, limits = args.limits,
    timeout_ms = timeout_ms(args, 0),
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
    cwd = CWD, timeout = TIMEOUT,
  },
  output = RESULT,
  run = function(args)
    not_empty(args, 'cmd')
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
      timeout = TIMEOUT,
    },
    output = RESULT,
    run = function(args, ctx)
      not_empty(args, 'command')
      local command = args.command or ctx.settings[setting]
      if args.background then
        return start_job(command, args, ctx)
      end
      return wait_for_end(command, args)
    end,
  }
end

local DEFAULT_WAIT_S = 30
local MAX_WAIT_S = 600
-- As for wait_for.
local TASK_AFTER_MS = 2000

local WAIT_TIMEOUT = schema.number {
  description = 'Seconds',
  default = DEFAULT_WAIT_S, minimum = 0, maximum = MAX_WAIT_S,
}

local WAITED = schema.object({
  id = schema.string { optional = true },
  port = schema.integer { optional = true },
  line = schema.string { optional = true },
  elapsed_ms = schema.integer {},
}, { additional = true })

-- Says what came true: the line, and where the service is. A process that the call named by its id
-- is not named again.
local function service_text(data, given)
  local facts = {}
  facts[#facts + 1] = data.id ~= given and 'process ' .. data.id or nil
  facts[#facts + 1] = data.port and ('port %d on %s'):format(data.port, data.address) or nil
  facts[#facts + 1] = data.status and ('HTTP %d'):format(data.status) or nil
  facts[#facts + 1] = 'after ' .. time.format_duration(data.elapsed_ms)
  return ('The service is ready%s (%s)'):format(
    data.line and ': ' .. data.line or '', table.concat(facts, ', '))
end

local wait_for_port = tool {
  name = 'wait_for_port',
  title = 'Wait for a port',
  description = 'Wait until a TCP port of this machine listens, instead of sleeping. Fails at '
    .. 'once, with the last output, when the process ends before.',
  permission = 'read',
  task = TASK_AFTER_MS,
  input = schema.object {
    port = schema.integer { minimum = 1, maximum = 65535 },
    timeout = WAIT_TIMEOUT,
    id = schema.string { description = 'Process that opens it', optional = true },
  },
  output = WAITED,
  run = function(args, ctx)
    local data = background_wait.service(owner_of(ctx), args)
    local text = ('Port %d is listening on %s (after %s)'):format(
      args.port, data.address, time.format_duration(data.elapsed_ms))
    return { text = text, data = data }
  end,
}

local wait_for_service = tool {
  name = 'wait_for_service',
  title = 'Wait for a service',
  description = 'Wait until a service is ready: its port listens, a line of its output matches, '
    .. 'its URL answers; all that you give must hold. Output from before counts.',
  permission = 'read',
  task = TASK_AFTER_MS,
  input = schema.object {
    port = schema.integer { minimum = 1, maximum = 65535, optional = true },
    output_regex = schema.string {
      description = 'Regular expression (RE2), found in a line of output', min_length = 1,
      optional = true,
    },
    http = schema.string {
      description = 'URL (http://...) that must answer', min_length = 1, optional = true,
    },
    id = schema.string {
      description = 'Process that it is about (default: any of yours)', optional = true,
    },
    timeout = WAIT_TIMEOUT,
  },
  output = WAITED,
  run = function(args, ctx)
    if not (args.port or args.output_regex or args.http) then
      tool.error('invalid_arguments', 'nothing to wait for: give port, output_regex or http')
    end
    local given = args.id
    local data = background_wait.service(owner_of(ctx), args)
    return { text = service_text(data, given), data = data }
  end,
}

return {
  name = 'background',
  settings = SETTINGS,
  tools = {
    run_background, stop_process, list_processes, read_process_output, wait_for_port,
    wait_for_service, run_cmd,
    project_tool('run_test', 'Run the tests', "Run the project's tests", 'test_command'),
    project_tool('run_build', 'Run the build', 'Build the project', 'build_command'),
  },
}
