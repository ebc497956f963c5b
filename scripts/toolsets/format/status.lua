-- The state of a run, as bg_status has it.
local failure = require 'toolsets.failure'
local text = require 'toolsets.format.text'

local M = {}

--- The schema of one run in the answer of bg_status.
M.SCHEMA = schema.object {
  id = schema.string {},
  pid = schema.integer {},
  command = schema.string {},
  label = schema.string { optional = true },
  state = schema.string {
    enum = {
      'queued', 'starting', 'running', 'completed', 'failed', 'killed', 'timeout', 'lost',
    },
  },
  exit_code = schema.integer { optional = true },
  reason = schema.string { optional = true, description = 'Why it ended as it did' },
  started_ms = schema.integer { optional = true, description = 'Unix time' },
  ended_ms = schema.integer { optional = true, description = 'Unix time' },
  runtime_ms = schema.integer {},
  limit = schema.object({
    name = schema.string {}, limit = schema.integer { optional = true },
    used = schema.integer { optional = true },
  }, { optional = true, description = 'The limit that ended it' }),
  output_rate = schema.integer { optional = true, description = 'Bytes a second' },
  idle_ms = schema.integer { optional = true, description = 'Since its last output' },
  usage = schema.object({
    cpu_percent = schema.number {},
    rss_bytes = schema.integer {},
    processes = schema.integer {},
    stopped = schema.integer {
      optional = true, description = 'Of them: stopped by a signal; SIGCONT continues them',
    },
    ports = schema.array(schema.object {
      port = schema.integer {}, address = schema.string {},
      pid = schema.integer { optional = true, description = 'Who listens' },
      host = schema.integer { optional = true, description = 'Mapped: the port that leads to it' },
    }),
    by = schema.string { optional = true, description = 'The executor that measured it' },
    waiting_for_input = schema.object({
      pid = schema.integer {}, prompt = schema.string {},
    }, { optional = true }),
  }, { optional = true, description = 'Of its whole tree' }),
  readiness = schema.string { optional = true, enum = { 'pending', 'ready', 'failed' } },
  next = schema.string { optional = true, description = 'ID that it is started again as' },
  left_behind = schema.integer {
    description = 'Processes that live on after it ended; bg_kill ends them',
  },
  error_excerpt = failure.FIELD,
}

local IS_FIELD = {}
for key in pairs(M.SCHEMA.properties) do
  IS_FIELD[key] = true
end

-- An answer shows fewer runs than this (toolsets.shaped), so older ones need not be measured.
local MAX_MEASURED = 80

--- Returns the usage of running runs, by their index in the list: of the newest where there are
--- more than an answer shows. It measures all at the same time, because an executor can take
--- seconds to answer.
---@param infos RunInfo[] oldest first
---@return table<integer, RunUsage>
function M.usages(infos)
  local indexes, questions = {}, {}
  for index = #infos, 1, -1 do
    if #indexes == MAX_MEASURED then
      break
    end
    local handle = infos[index].state == 'running' and run.get(infos[index].id)
    if handle then
      indexes[#indexes + 1] = index
      questions[#questions + 1] = function()
        return handle:usage()
      end
    end
  end
  local usages = {}
  for number, usage in pairs(task.all(questions)) do
    usages[indexes[number]] = usage
  end
  return usages
end

--- Returns the line of bg_status for a run.
---@param info RunInfo
---@param usage? RunUsage
---@return string
function M.line(info, usage)
  local parts = {
    'id=' .. info.id,
    'state=' .. info.state,
    'pid=' .. info.pid,
    'runtime=' .. text.seconds(info.runtime_ms),
    ('cmd="%s"'):format(text.one_line(info.command)),
  }
  local function add(condition, format, value)
    if condition then
      parts[#parts + 1] = format:format(value)
    end
  end
  add(info.label, 'label="%s"', info.label and text.one_line(info.label))
  add(info.exit_code, 'exit=%d', info.exit_code)
  add(info.reason and info.state ~= 'completed', 'reason="%s"', info.reason)
  if usage then
    add(true, 'cpu=%.1f%%', usage.cpu_percent)
    add(true, 'mem=%.1fMB', usage.rss_bytes / 1e6)
    add(true, 'procs=%d', usage.processes)
    add(usage.stopped, 'stopped=%d', usage.stopped)
    add(true, 'idle=%s', text.seconds(info.idle_ms))
    for _, port in ipairs(usage.ports) do
      local where = port.host and ('%s:%d'):format(port.address, port.host)
        or ('pid %d'):format(port.pid)
      add(true, 'port=%s', ('%d(%s)'):format(port.port, where))
    end
    add(usage.by, 'by=%s', usage.by)
    local waiting = usage.waiting_for_input
    add(waiting, 'waiting_for_input="%s"', waiting and text.one_line(waiting.prompt))
  end
  add(info.readiness, 'readiness=%s', info.readiness)
  add(info.next, 'next=%s', info.next)
  add(info.left_behind > 0, 'left_behind=%d', info.left_behind)
  return table.concat(parts, ' ')
end

--- Turns what is known of a run into the data of bg_status. It changes the table that it is given,
--- because a copy of thousands costs more than all else.
---@param info RunInfo becomes the data
---@param usage? RunUsage
---@return table data
function M.into_data(info, usage)
  for key in pairs(info) do
    if not IS_FIELD[key] then
      info[key] = nil
    end
  end
  if usage then
    info.usage = {
      cpu_percent = usage.cpu_percent, rss_bytes = usage.rss_bytes, processes = usage.processes,
      stopped = usage.stopped,
      ports = json.array(usage.ports), by = usage.by,
      waiting_for_input = usage.waiting_for_input,
    }
  end
  return info
end

return M
