-- Runs by their id, wherever they are: in memory, queued, executed by another process of the
-- session, or forgotten by memory and known to the journal alone.
local checked = require 'toolsets.checked'
local memory_run = require 'toolsets.memory_run'
local text = require 'toolsets.format.text'

local M = {}

local MAX_ITEMS = 400
local MAX_BYTES = 1024 * 1024
local MAX_TAIL_BYTES = 256 * 1024
local MAX_LABELLED = 200
local MAX_QUEUED = 1000
local MAX_LINE_BYTES = 4096

-- Returns the run with this label that goes on, or the newest one, and whether it goes on. Ends the
-- call when several go on.
local function labelled(name)
  local newest, going = nil, {}
  for _, info in ipairs(run.list { brief = true }) do
    if info.label == name then
      newest = info
      going[#going + 1] = memory_run.GOES_ON[info.state] and info.id or nil
    end
  end
  if #going > 1 then
    tool.error('run_ambiguous', ('%d processes have the label "%s": %s. Give an id'):format(
      #going, name, table.concat(going, ', ')))
  end
  return going[1] or newest and newest.id, going[1] ~= nil
end

-- Returns the newest record with this label.
local function labelled_record(name)
  for _, record in ipairs(journal.runs { limit = MAX_LABELLED } or {}) do
    if record.meta and record.meta.label == name then
      return record
    end
  end
end

-- Returns the run of a label: the handle of the one that goes on here, or of the newest one unless
-- the journal knows a newer one, which is queued or belongs to another process.
local function find_labelled(name)
  local id, goes_on = labelled(name)
  local record = not goes_on and labelled_record(name) or nil
  if not record or record.id == id then
    return id and run.get(id)
  end
  return run.get(record.id), record
end

--- Returns the handle of a run or, for one that is not in memory, its record. A label is as good as
--- an id. Ends the call with run_not_found when there is neither.
---
--- Example: `local handle, record = any_run.find(args.id)`
---@param id string
---@return Run? handle
---@return RecordedRun? record
function M.find(id)
  local handle, not_found = run.get(id)
  if handle then
    return handle, nil
  end
  local recorded, err = journal.items(id, { limit = 1 })
  if recorded then
    return run.get(recorded.run.id), recorded.run -- it may have started meanwhile
  end
  local record
  handle, record = find_labelled(id)
  if handle or record then
    return handle, record
  end
  local unknown = err.code == 'run_not_found' or err.code == 'no_journal'
  return checked(nil, unknown and not_found or err)
end

--- Returns the id of the run that an id or a label names. Ends the call when there is none.
---
--- Example: `local id = any_run.id_of(args.run_id)`
---@param name string
---@return string
function M.id_of(name)
  local handle, record = M.find(name)
  return handle and handle.id or record.id
end

--- Returns the first line that matches of a run that only the journal knows, and its stream. Ends
--- the call when the pattern, which is the argument `output_regex`, is wrong.
---
--- Example: `local line, stream = any_run.recorded_line(record.id, args.output_regex)`
---@param id string
---@param pattern string RE2
---@return string? line
---@return 'stdout'|'stderr'|nil stream
function M.recorded_line(id, pattern)
  local found, err = journal.grep(id, { pattern = pattern, max_bytes = MAX_LINE_BYTES })
  if not found and err.code == 'invalid_arguments' then
    tool.error(err.code, (err.message:gsub('^pattern', 'args.output_regex')))
  end
  for _, stream in ipairs { 'stdout', 'stderr' } do
    local line = found and found[stream].matches > 0 and found[stream].text:match '^%d+:([^\n]*)'
    if line then
      return line, stream
    end
  end
end

--- Says what a queued run waits for.
---@param id string
---@return string
function M.place_text(id)
  local place = journal.queue(id)
  local before = place and place.before
  if before then
    local why = before.state == 'queued' and before.reason
    return ('it waits for run %s (%s) to end%s'):format(
      before.id, before.command, why and ', which is ' .. why or '')
  end
  return place and place.state == 'queued' and place.reason
    or 'it is next, and starts when a place is free'
end

--- Returns the record of a run in the form of run:info().
---@param record RecordedRun
---@return RunInfo
function M.info_of(record)
  local meta = record.meta or {}
  local began = record.started_ms
  return {
    id = record.id, pid = meta.pid or 0, command = record.command, label = meta.label,
    state = record.state, exit_code = record.exit_code,
    reason = record.state == 'queued' and M.place_text(record.id) or record.reason,
    started_ms = began, ended_ms = record.ended_ms,
    profile = meta.sandbox ~= 'none' and meta.sandbox or nil,
    limit = meta.limit and { name = meta.limit } or nil, -- the journal has no figures of it
    runtime_ms = began and (record.ended_ms or time.now_ms()) - began or 0, left_behind = 0,
  }
end

--- Returns what is known of a run, and its handle when memory has it. Ends the call with
--- run_not_found when nothing is.
---
--- Example: `local info, handle = any_run.known(args.id)`
---@param id string
---@return RunInfo info
---@return Run? handle
function M.known(id)
  local handle, record = M.find(id)
  local info = handle and handle:info()
  return info or M.info_of(record or checked(journal.items(id, { limit = 1 })).run), handle
end

--- Ends a run that is not in memory. Says how: it was killed before it started, the process that
--- executes it was asked, or nothing when it had ended already.
---
--- Example: `local how = any_run.kill_recorded(info, 'SIGTERM')`
---@param info RunInfo
---@param signal? string
---@return 'killed'|'asked'|nil how
---@return string text
function M.kill_recorded(info, signal)
  if info.ended_ms then
    return nil, ('Process %s is not running (%s: %s)'):format(
      info.id, info.state, info.reason or 'ended')
  end
  local how = checked(journal.kill(info.id, { signal = signal }))
  local said = how == 'killed' and 'Process %s was ended before it started'
    or 'Process %s runs under another process of Gibbous, which was asked to end it'
  return how, said:format(info.id)
end

--- Returns the records of the session's runs that wait in the queue, oldest first.
---@return RecordedRun[]
function M.queued()
  local queued = {}
  local records = journal.runs { state = 'queued', limit = MAX_QUEUED } or {}
  for index = #records, 1, -1 do
    local record = records[index]
    if not run.get(record.id) then
      queued[#queued + 1] = record
    end
  end
  return queued
end

--- Returns how the session's runs stand, as run.list briefly says, with those that wait in the
--- queue.
---@param session string of the call
---@return RunInfo[]
function M.infos(session)
  -- A call without a session is the host's: it sees all runs, and lists its own.
  local infos = run.list { session = session == '' and '' or nil, brief = true }
  for _, record in ipairs(M.queued()) do
    infos[#infos + 1] = M.info_of(record)
  end
  return infos
end

--- Says in the answer how these runs stand, so that no event need say it again.
---@param infos RunInfo[]
function M.tell(infos)
  for _, info in ipairs(infos) do
    if info.ended_ms then
      tool.tells(info.id)
    end
  end
end

--- Waits until a queued run has left the queue, at most `wait_ms`. Returns the milliseconds that
--- are left, or nil when it still waits. A run that is not queued is not waited for.
---@param id string
---@param wait_ms integer
---@return integer?
function M.started_within(id, wait_ms)
  local since = time.monotonic_ms()
  local place = checked(journal.queue(id, { wait_ms = math.max(0, math.floor(wait_ms)) }))
  if place.state == 'queued' then
    return nil
  end
  return math.max(0, wait_ms - (time.monotonic_ms() - since))
end

--- Returns the last sequence number of a recorded run.
---
--- Example: `local seq = any_run.last_seq(id)`
---@param id string
---@return integer
function M.last_seq(id)
  return checked(journal.items(id, { limit = 1 })).run.last_seq
end

-- Adds the lines of an item that are complete now to a text; the rest waits for its end.
local function add_lines(lines, waiting, stream, payload)
  local bytes = (waiting[stream] or '') .. payload
  local complete = bytes:match '^.*\n' or ''
  lines[#lines + 1] = complete
  waiting[stream] = bytes:sub(#complete + 1)
end

--- Sets each text of a table to the last lines of what was recorded of a run that is not in memory.
---
--- Example: `any_run.add_recorded_tails({ merged = '' }, record, 50)`
---@param texts table<'stdout'|'stderr'|'merged', string> what is wanted
---@param record { id: string, last_seq: integer }
---@param lines integer of each
---@return boolean cut there are earlier lines
function M.add_recorded_tails(texts, record, lines)
  local since = math.max(0, record.last_seq - MAX_ITEMS)
  local chunks, waiting = { stdout = {}, stderr = {}, merged = {} }, {}
  local cut, page = since > 0
  repeat
    page = checked(journal.items(record.id, {
      since_seq = since, limit = MAX_ITEMS, max_bytes = MAX_BYTES, clean = true,
    }))
    for _, item in ipairs(page.items) do
      local stream = item.type == 'terminal' and 'stdout' or item.type
      if stream == 'stdout' or stream == 'stderr' then
        table.insert(chunks[stream], item.payload)
        add_lines(chunks.merged, waiting, stream, item.payload)
      end
    end
    since = page.next_seq
    for stream, list in pairs(chunks) do -- no answer has more than that
      local whole = table.concat(list)
      chunks[stream] = { text.tail(whole, MAX_TAIL_BYTES) }
      cut = cut or #whole > MAX_TAIL_BYTES
    end
  until not page.more
  table.insert(chunks.merged, text.ended(waiting.stdout or '') .. (waiting.stderr or ''))
  for stream in pairs(texts) do
    local whole = table.concat(chunks[stream])
    texts[stream] = text.last_lines(whole, lines)
    cut = cut or #texts[stream] < #whole
  end
  return cut
end

return M
