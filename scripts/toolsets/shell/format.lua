-- Formats the answers of the tool `shell`: data for programs, text for models.
local memory_run = require 'toolsets.memory_run'
local text = require 'toolsets.format.text'

local M = {}

-- An event's line, or what its handler added, is cut after so many bytes.
local EVENT_BYTES = 1000

local IS_OUTPUT = { stdout = true, stderr = true, terminal = true }

--- Returns the bytes of output in items up to a sequence number.
---
--- Example: `local bytes = format.output_bytes(recorded.items, 41)`
---@param items RecordedItem[]
---@param last_seq integer
---@return integer
function M.output_bytes(items, last_seq)
  local bytes = 0
  for _, item in ipairs(items) do
    if item.seq <= last_seq and IS_OUTPUT[item.type] then
      bytes = bytes + #item.payload
    end
  end
  return bytes
end

--- Returns the data of a poll.
---
--- Example: `local data = format.poll_data(journal.items(id))`
---@param recorded RecordedItems
---@param max_bytes? integer of output that may be given; the items after it are left out
---@return table data
function M.poll_data(recorded, max_bytes)
  local items = json.array {}
  local left = max_bytes or math.huge
  for _, item in ipairs(recorded.items) do
    local payload = item.payload
    if IS_OUTPUT[item.type] then
      payload = text.head(payload, math.max(0, left))
      left = left - #item.payload
    end
    if payload ~= '' or item.payload == '' then
      items[#items + 1] = {
        seq = item.seq, item_type = item.type, payload = payload, meta = item.meta,
        created_at = item.created_ms,
      }
    end
  end
  local of = recorded.run
  return {
    run_id = of.id, session_id = of.session, status = of.state, exit_code = of.exit_code,
    reason = of.reason, items = items, next_seq = recorded.next_seq, more = recorded.more,
    done = not (memory_run.GOES_ON[of.state] or recorded.more or recorded.open),
    truncated = left < 0 or nil,
  }
end

--- Returns true when a poll has output.
---
--- Example: `if format.has_output(data.items) then return end`
---@param items table[]
---@return boolean
function M.has_output(items)
  for _, item in ipairs(items) do
    if IS_OUTPUT[item.item_type] then
      return true
    end
  end
  return false
end

--- Returns what the terminal of a run shows.
---
--- Example: `data.screen = format.screen(handle)`
---@param handle? Run
---@return table? screen nil: it has no terminal, or is not known here
function M.screen(handle)
  local shown = handle and handle:screen()
  if not shown then
    return nil
  end
  local rows = table.concat(shown.lines, '\n'):gsub('\n+$', '')
  return {
    text = rows, rows = shown.rows, cols = shown.cols,
    cursor = shown.cursor, title = shown.title, alternate = shown.alternate,
  }
end

--- Returns the screen as text: the rows, then the position of the cursor.
---
--- Example: `local text = format.screen_text(data)`
---@param data table
---@return string
function M.screen_text(data)
  local screen = data.screen
  if not screen then
    return ('[run %s: %s]'):format(data.run_id, data.status)
  end
  local title = screen.title ~= '' and (', title "%s"'):format(screen.title) or ''
  return ('%s\n[run %s: %s, cursor %d:%d of %dx%d%s]'):format(
    screen.text, data.run_id, data.status, screen.cursor.row, screen.cursor.col, screen.rows,
    screen.cols, title
  )
end

-- Returns the payload of an item, which may be larger than a whole answer.
local function part_of(item, budget)
  if #item.payload <= budget then
    return item.payload
  end
  local half = math.floor(budget / 2)
  local first, last = text.head(item.payload, half), text.tail(item.payload, half)
  return ('%s\n[%d bytes left out: poll with since_seq=%d, max_output_bytes=%d]\n%s'):format(
    first, #item.payload - #first - #last, item.seq - 1, #item.payload, last)
end

-- Returns the state of a run and, where its exit code does not say it, why it ended.
local function standing(data)
  local is_exit = data.status == 'completed' or data.status == 'failed'
  local reason = not (is_exit and data.exit_code) and data.reason
  if not reason or reason:sub(1, #data.status) == data.status then
    return reason or data.status
  end
  return ('%s: %s'):format(data.status, reason)
end

-- Returns an event as a line. What its handler added is an item of its own.
local function event_line(item)
  local meta = item.meta or {}
  local what = meta.line
  if meta.handler_error then
    what = 'handler failed: ' .. meta.handler_error
  elseif meta.data ~= nil then
    what = 'data ' .. (type(meta.data) == 'string' and meta.data or json.encode(meta.data))
  end
  what = what and ' ' .. text.cut(what, EVENT_BYTES, what == meta.line and meta.column) or ''
  return ('[event %s]%s\n'):format(item.payload, what)
end

--- Returns a poll as text: the output as it came, or the screen of a full-screen program. Events
--- and ends are on lines of their own.
---
--- Example: `local text = format.poll_text(data, 8000)`
---@param data table
---@param budget integer bytes of output
---@return string
function M.poll_text(data, budget)
  local parts = {}
  local full_screen = data.screen and data.screen.alternate
  for _, item in ipairs(data.items) do
    if item.item_type == 'event' then
      parts[#parts + 1] = event_line(item)
    elseif item.item_type == 'note' then
      parts[#parts + 1] = ('[%s]\n'):format(item.payload)
    elseif item.item_type ~= 'state' and not full_screen then
      parts[#parts + 1] = part_of(item, budget)
    end
  end
  if full_screen then
    parts[#parts + 1] = data.screen.text
  end
  local output = text.ended(table.concat(parts))
  local code = data.exit_code and (' exit_code=%d'):format(data.exit_code) or ''
  local more = data.more and ' (more: poll again)' or ''
  more = more .. (data.truncated and ' (output over max_output_bytes is left out)' or '')
  return ('%s[run %s: %s%s next_seq=%d%s]'):format(
    output, data.run_id, standing(data), code, data.next_seq, more
  )
end

return M
