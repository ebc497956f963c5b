-- Runs by their id, wherever they are: in memory, queued, executed by another process of the
-- session, or forgotten by memory and known to the journal alone.
local M = {}

local MAX_ITEMS = 400
local MAX_BYTES = 1024 * 1024

-- Ends the call with an error of the core.
local function check(value, err)
  if value == nil then
    tool.error(err.code, err.message)
  end
  return value
end

local GOES_ON = { queued = true, starting = true, running = true }
local MAX_LABELLED = 200

-- Returns the handle of the run with this label that goes on, or of the newest one. Ends the call
-- when several go on.
local function labelled(name)
  local newest, going = nil, {}
  for _, info in ipairs(run.list()) do
    if info.label == name then
      newest = info.id
      going[#going + 1] = GOES_ON[info.state] and info.id or nil
    end
  end
  if #going > 1 then
    tool.error('run_ambiguous', ('%d processes have the label "%s": %s. Give an id'):format(
      #going, name, table.concat(going, ', ')))
  end
  return (going[1] or newest) and run.get(going[1] or newest)
end

-- Returns the newest record with this label.
local function labelled_record(name)
  for _, record in ipairs(journal.runs { limit = MAX_LABELLED } or {}) do
    if record.meta and record.meta.label == name then
      return record
    end
  end
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
  handle = handle or labelled(id)
  if handle then
    return handle, nil
  end
  local recorded, err = journal.items(id, { limit = 1 })
  local record = recorded and recorded.run or labelled_record(id)
  if record then
    return run.get(record.id), record -- it may have started meanwhile
  end
  local unknown = err.code == 'run_not_found' or err.code == 'no_journal'
  return check(nil, unknown and not_found or err)
end

--- Says what a queued run waits for.
---@param id string
---@return string
function M.place_text(id)
  local place = journal.queue(id)
  local before = place and place.before
  if before then
    return ('it waits for run %s (%s) to end'):format(before.id, before.command)
  end
  return 'it waits for a place; limits.max_concurrent runs go on'
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
    started_ms = began, ended_ms = record.ended_ms, limit = meta.limit,
    runtime_ms = began and (record.ended_ms or time.now_ms()) - began or 0, left_behind = 0,
  }
end

--- Waits until a queued run has left the queue, at most `wait_ms`. Returns the milliseconds that
--- are left, or nil when it still waits. A run that is not queued is not waited for.
---@param id string
---@param wait_ms integer
---@return integer?
function M.started_within(id, wait_ms)
  local since = time.monotonic_ms()
  local place = check(journal.queue(id, { wait_ms = math.floor(wait_ms) }))
  if place.state == 'queued' then
    return nil
  end
  return math.max(0, wait_ms - (time.monotonic_ms() - since))
end

--- Returns the last lines of what was recorded of a run that is not in memory, by stream.
---@param record RecordedRun
---@param lines integer of each
---@return table<string, string>
function M.recorded_tails(record, lines)
  local since = math.max(0, record.last_seq - MAX_ITEMS)
  local page = check(journal.items(record.id, {
    since_seq = since, limit = MAX_ITEMS, max_bytes = MAX_BYTES, clean = true,
  }))
  local chunks = { stdout = {}, stderr = {} }
  for _, item in ipairs(page.items) do
    local list = chunks[item.type == 'terminal' and 'stdout' or item.type]
    if list then
      list[#list + 1] = item.payload
    end
  end
  local texts = {}
  for stream, list in pairs(chunks) do
    texts[stream] = M.last_lines(table.concat(list), lines)
  end
  return texts
end

--- Returns the last lines of a text.
---@param text string
---@param count integer
---@return string
function M.last_lines(text, count)
  local at = #text
  if text:sub(-1) == '\n' then
    at = at - 1
  end
  while at > 0 do
    if text:byte(at) == 10 then
      count = count - 1
      if count <= 0 then
        return text:sub(at + 1)
      end
    end
    at = at - 1
  end
  return count > 0 and text or ''
end

return M
