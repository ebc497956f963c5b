-- How runs and their output read as text and as data, for all toolsets.
local M = {}


--- The schema of one run in the answer of bg_status.
M.STATUS = schema.object {
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
    name = schema.string {}, limit = schema.integer {}, used = schema.integer {},
  }, { optional = true, description = 'The limit that ended it' }),
  output_rate = schema.integer { optional = true, description = 'Bytes a second' },
  idle_ms = schema.integer { optional = true, description = 'Since its last output' },
  usage = schema.object({
    cpu_percent = schema.number {},
    rss_bytes = schema.integer {},
    processes = schema.integer {},
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
}

--- Returns the run with this id, or ends the call with run_not_found.
---@param id string
---@return Run
function M.find(id)
  local handle, err = run.get(id)
  if not handle then
    tool.error(err.code, err.message)
  end
  return handle
end

--- Returns the current run of a command that was started with this id: the last restart, if there
--- was one. Ends the call with run_not_found.
---@param id string
---@return Run
function M.find_newest(id)
  local handle = M.find(id)
  local info = handle:info()
  while info.next and run.get(info.next) do
    handle = run.get(info.next)
    info = handle:info()
  end
  return handle
end

--- Returns milliseconds as seconds with one decimal.
---@param ms number
---@return string
function M.seconds(ms)
  return ('%.1fs'):format(ms / 1000)
end

--- Returns a note on where the mapped ports of a run can be reached, or ''.
---@param info RunInfo
---@return string
function M.ports_note(info)
  local parts = {}
  for index, mapping in ipairs(info.ports or {}) do
    parts[index] = ('%d is port %d of %s'):format(
      mapping.port, mapping.host, info.address or 'this machine')
  end
  return #parts > 0 and '\nPorts: ' .. table.concat(parts, ', ') or ''
end

local ESCAPES = { ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

--- Returns text as one line, with control characters escaped.
---@param text string
---@return string
function M.one_line(text)
  return (text:gsub('%c', function(c) return ESCAPES[c] or ('\\x%02x'):format(c:byte()) end))
end

--- Returns the usage of each running run, by its index in the list. It measures all at the same
--- time, because an executor can take seconds to answer.
---@param infos RunInfo[]
---@return table<integer, RunUsage>
function M.usages(infos)
  local questions = {}
  for index, info in ipairs(infos) do
    questions[index] = function()
      local handle = info.state == 'running' and run.get(info.id)
      return handle and handle:usage() or nil
    end
  end
  return task.all(questions)
end

--- Returns the line of bg_status for a run.
---@param info RunInfo
---@param usage? RunUsage
---@return string
function M.status_line(info, usage)
  local parts = {
    'id=' .. info.id,
    'state=' .. info.state,
    'pid=' .. info.pid,
    'runtime=' .. M.seconds(info.runtime_ms),
    ('cmd="%s"'):format(M.one_line(info.command)),
  }
  local function add(condition, format, value)
    if condition then
      parts[#parts + 1] = format:format(value)
    end
  end
  add(info.label, 'label="%s"', info.label and M.one_line(info.label))
  add(info.exit_code, 'exit=%d', info.exit_code)
  add(info.reason and info.state ~= 'completed', 'reason="%s"', info.reason)
  if usage then
    add(true, 'cpu=%.1f%%', usage.cpu_percent)
    add(true, 'mem=%.1fMB', usage.rss_bytes / 1e6)
    add(true, 'procs=%d', usage.processes)
    add(true, 'idle=%s', M.seconds(info.idle_ms))
    for _, port in ipairs(usage.ports) do
      local where = port.host and ('%s:%d'):format(port.address, port.host)
        or ('pid %d'):format(port.pid)
      add(true, 'port=%s', ('%d(%s)'):format(port.port, where))
    end
    add(usage.by, 'by=%s', usage.by)
    local waiting = usage.waiting_for_input
    add(waiting, 'waiting_for_input="%s"', waiting and M.one_line(waiting.prompt))
  end
  add(info.readiness, 'readiness=%s', info.readiness)
  add(info.next, 'next=%s', info.next)
  add(info.left_behind > 0, 'left_behind=%d', info.left_behind)
  return table.concat(parts, ' ')
end

--- Returns the data of bg_status for a run.
---@param info RunInfo
---@param usage? RunUsage
---@return table
function M.status_data(info, usage)
  local data = {}
  for key in pairs(M.STATUS.properties) do
    data[key] = info[key]
  end
  data.reason = info.reason
  if usage then
    data.usage = {
      cpu_percent = usage.cpu_percent, rss_bytes = usage.rss_bytes, processes = usage.processes,
      ports = json.array(usage.ports), by = usage.by,
      waiting_for_input = usage.waiting_for_input,
    }
  end
  return data
end

--- Returns a stream under its name, with a note for each part that is missing.
---@param name string
---@param part BgPart|TailResult
---@return string
function M.section(name, part)
  local text = part.text
  if text ~= '' and text:sub(-1) ~= '\n' then
    text = text .. '\n'
  end
  local before, after = '', ''
  local function note(format, gap)
    if gap then
      before = before .. format:format(gap.to - gap.from, name, gap.from, gap.to) .. '\n'
    end
  end
  note('[%d bytes of %s are not kept any more: offsets %d to %d]', part.lost)
  note('[%d bytes of %s left out: offsets %d to %d]', part.gap)
  local skipped = part.skipped
  if skipped then
    local way = ('; read them with stream=%s, from=%d]'):format(name, skipped.from)
    note('[%d bytes of %s skipped: offsets %d to %d' .. way, skipped)
  end
  if part.more then
    local way = part.by_offset and ('stream=%s, from=%d'):format(name, part.to) or 'the same call'
    after = ('[more %s is waiting: read on with %s]\n'):format(name, way)
  end
  return ('[%s]\n%s%s%s'):format(name, before, text, after)
end

--- Returns the last lines of both streams, as one text and by name.
---@param handle Run
---@param lines integer of each
---@param max_bytes integer of each
---@return string text
---@return { stdout: string, stderr: string } texts
function M.tails(handle, lines, max_bytes)
  local sections, texts = {}, {}
  for index, stream in ipairs { 'stdout', 'stderr' } do
    local part = handle:tail { stream = stream, lines = lines, max_bytes = max_bytes }
    texts[stream] = part.text
    sections[index] = M.section(stream, part)
  end
  return table.concat(sections), texts
end

local GOOD = { queued = true, starting = true, running = true, completed = true }

--- Returns the lines that say why a run failed, each ended by a newline; '' when it did not fail or
--- said nothing.
---@param handle Run
---@param info RunInfo
---@return string
function M.why(handle, info)
  return GOOD[info.state] and '' or handle:error_excerpt() or ''
end

--- Returns a note on what the sandbox refused and what to do about it.
---@param refusals Refusal[] at least one
---@return string
function M.refusal_note(refusals)
  local seen = {}
  for index, refusal in ipairs(refusals) do
    seen[index] = refusal.path and refusal.what .. ' ' .. refusal.path or refusal.what
  end
  local note = '[the sandbox %s refused: %s. Stay inside what it allows, or ask the user to start '
    .. 'Gibbous with another --sandbox or to change policies/lib/sandbox.lua]\n'
  return note:format(refusals[1].profile, table.concat(seen, ', '))
end

--- Describes the outcome of a kill.
---@param id string
---@param info RunInfo from before the kill
---@param signal string
---@param report KillReport
---@return string
function M.kill_text(id, info, signal, report)
  local lines
  if info.state == 'queued' then
    local text = info.restart_of and 'Process %s is not started again'
      or 'Process %s was ended before it started'
    lines = { text:format(id) }
  elseif info.ended_ms then
    local text = 'Process %s had ended already (%s); killed what it left behind: %d'
    lines = { text:format(id, info.state, report.dead) }
  else
    local text = 'Process %s killed (was running for %s)'
    lines = { text:format(id, M.seconds(info.runtime_ms)) }
  end
  if report.how == 'escalated' then
    lines[2] = ('It did not end on %s; SIGKILL ended it.'):format(signal)
  elseif report.how == 'survivors' then
    lines[2] = 'These processes could not be ended: ' .. table.concat(report.survivors, ', ')
  end
  if report.cleanup_failed then
    lines[#lines + 1] = 'What it started elsewhere could not be ended, and may live on.'
  end
  return table.concat(lines, '\n')
end

return M
