-- The tool `run_background`: a process that goes on beside the work.
local common = require 'toolsets.background.common'
local format = require 'toolsets.format'
local own_runs = require 'toolsets.own_runs'
local ports = require 'toolsets.background.port'

local MAX_WORDS = 10000
local MAX_PORTS = 20

return tool {
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
    cwd = common.CWD,
  },
  output = schema.object {
    id = schema.string {},
    process_id = schema.string {},
    pid = schema.integer {},
    command = schema.string {},
    ports = schema.any { optional = true },
  },
  run = function(args, ctx)
    common.not_empty(args, 'cmd')
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
    local handle = own_runs.start(common.owner_of(ctx), options)
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
