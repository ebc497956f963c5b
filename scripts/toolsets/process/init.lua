-- The toolset `process`: one tool that starts, checks and stops shell commands in the background.
local any_run = require 'toolsets.any_run'
local checked = require 'toolsets.checked'
local failure = require 'toolsets.failure'
local format = require 'toolsets.format'
local last_output = require 'toolsets.last_output'
local own_runs = require 'toolsets.own_runs'
local reading = require 'toolsets.reading'
local shape = require 'toolsets.process.shape'
local shaped = require 'toolsets.shaped'
local status = require 'toolsets.process.status'

local STOP_GRACE_MS = 2000

local function owner_of(ctx)
  return {
    toolset = 'process', tools = { process = true }, session = ctx.session,
    max = ctx.settings.max_concurrent,
    hint = 'Use action=stop to end one, action=list to see them.',
  }
end

local function required(args, name)
  local value = args[name]
  if value == nil or value == '' then
    tool.error('invalid_arguments', ('args.%s: is required for action=%s'):format(
      name, args.action
    ))
  end
  return value
end

local actions = {}

function actions.start(args, ctx)
  local handle = own_runs.start(owner_of(ctx), {
    command = required(args, 'command'), timeout_ms = 0,
    log = {
      path = ctx.temp_directory .. '/gibbous-process-{run}.log',
      max_bytes = ctx.settings.max_output_bytes,
    },
  })
  local facts = status.of(handle:info())
  return {
    text = ('Started process %s (os pid %d): %s'):format(
      facts.pid, facts.os_pid, format.one_line(facts.command)
    ),
    data = { id = facts.pid, pid = facts.pid, process = facts },
  }
end

-- Answers with how a process stands.
local function standing(info, data, before)
  local why = failure.of(info, reading.process)
  data.error_excerpt = failure.field(why)
  return { text = before .. status.line(status.of(info)) .. format.below(why), data = data }
end

function actions.status(args)
  local info = any_run.known(required(args, 'pid'))
  return standing(info, { pid = info.id, process = status.of(info) }, '')
end

function actions.output(args, ctx)
  local info, handle = any_run.known(required(args, 'pid'))
  local facts = status.of(info)
  local text, texts, why, hint = last_output.of(info, handle, args.tail, {
    session = ctx.session,
    reading = reading.process,
    how = facts.output_path and 'all of it is in ' .. facts.output_path,
  })
  return {
    text = text,
    data = {
      pid = info.id, process = facts, stdout = texts.stdout, stderr = texts.stderr,
      error_excerpt = failure.field(why), hint = hint,
    },
  }
end

-- Stops a process that is not in memory.
local function stop_recorded(info)
  local how, text = any_run.kill_recorded(info)
  local data = { pid = info.id, process = status.of(info), stopped = how ~= nil }
  if not how then
    return standing(info, data, 'It is not running: ')
  end
  return { text = text, data = data }
end

function actions.stop(args)
  local info, handle = any_run.known(required(args, 'pid'))
  if not handle then
    return stop_recorded(info)
  end
  local report = checked(handle:kill { signal = 'SIGTERM', grace_ms = STOP_GRACE_MS })
  local facts = status.of(handle:info() or info)
  tool.tells(handle.id)
  local data = { pid = handle.id, process = facts, stopped = report.how ~= 'gone' }
  if info.ended_ms and report.how == 'gone' then
    return standing(info, data, 'It is not running: ')
  end
  return { text = format.kill_text(handle.id, info, 'SIGTERM', report, reading.process),
    data = data }
end

function actions.list(_, ctx)
  local processes = json.array {}
  local infos = own_runs.list(owner_of(ctx))
  for index, info in ipairs(infos) do
    processes[index] = status.of(info)
  end
  local function line_of(index)
    return status.line(processes[index])
  end
  local text = #infos > 0 and shaped.list(line_of, infos, 'action=status')
    or 'No background processes.'
  return { text = text, data = { processes = processes } }
end

local process = tool {
  name = 'process',
  title = 'Background processes',
  description = 'Start, check, or stop background shell processes',
  permission = 'execute',
  actions = { status = 'read', output = 'read', list = 'read' },
  annotations = { destructive = true, idempotent = false, open_world = true },
  command = 'command',
  input = shape.INPUT,
  output = shape.OUTPUT,
  run = function(args, ctx)
    return actions[args.action](args, ctx)
  end,
}

return { name = 'process', settings = shape.SETTINGS, tools = { process } }
