-- Formats the answers of the tool `shell`: data for programs, text for models.
local M = {}

-- The excerpt of one stream, in tokens of about four bytes.
local DEFAULT_TOKENS = 8000
local MAX_TOKENS = 200000
local BYTES_A_TOKEN = 4
-- An excerpt notes what it leaves out; below this size there is no room for the note.
local MIN_EXCERPT_BYTES = 4096

local ENDED = { completed = true, failed = true, killed = true, timeout = true, lost = true }

local IS_OUTPUT = { stdout = true, stderr = true, terminal = true }

-- Returns the first bytes of a text without splitting a character.
local function head_of(text, bytes)
  if #text <= bytes then
    return text
  end
  while bytes > 0 and text:find('^[\128-\191]', bytes + 1) do
    bytes = bytes - 1
  end
  return text:sub(1, math.max(0, bytes))
end

-- Returns the last bytes of a text without splitting a character.
local function tail_of(text, bytes)
  local from = math.max(1, #text - bytes + 1)
  while text:find('^[\128-\191]', from) do
    from = from + 1
  end
  return text:sub(from)
end

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
      payload = head_of(payload, math.max(0, left))
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
    done = ENDED[of.state] == true and not recorded.more, truncated = left < 0 or nil,
  }
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
  local text = table.concat(shown.lines, '\n'):gsub('\n+$', '')
  return {
    text = text, rows = shown.rows, cols = shown.cols,
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
  return ('%s\n[run %s: %s, cursor %d:%d of %dx%d]'):format(
    screen.text, data.run_id, data.status, screen.cursor.row, screen.cursor.col, screen.rows,
    screen.cols
  )
end

--- Returns a poll as text: the output as it came, or the screen of a full-screen program. Events
--- and ends are on lines of their own.
---
--- Example: `local text = format.poll_text(data)`
---@param data table
---@return string
function M.poll_text(data)
  local parts = {}
  local full_screen = data.screen and data.screen.alternate
  for _, item in ipairs(data.items) do
    if item.item_type == 'event' then
      local line = item.meta and item.meta.line
      parts[#parts + 1] = ('[event %s]%s\n'):format(item.payload, line and ' ' .. line or '')
    elseif item.item_type == 'note' then
      parts[#parts + 1] = ('[%s]\n'):format(item.payload)
    elseif item.item_type ~= 'state' and not full_screen then
      parts[#parts + 1] = item.payload
    end
  end
  if full_screen then
    parts[#parts + 1] = data.screen.text
  end
  local output = table.concat(parts)
  if output ~= '' and output:sub(-1) ~= '\n' then
    output = output .. '\n'
  end
  local code = data.exit_code and (' exit_code=%d'):format(data.exit_code) or ''
  local more = data.more and ' (more: poll again)' or ''
  more = more .. (data.truncated and ' (output over max_output_bytes is left out)' or '')
  return ('%s[run %s: %s%s next_seq=%d%s]'):format(
    output, data.run_id, data.status, code, data.next_seq, more
  )
end

-- Returns the beginning and the end of a stream, in at most `bytes` bytes.
local function within(handle, stream, bytes)
  if bytes >= MIN_EXCERPT_BYTES then
    local tokens = math.min(MAX_TOKENS, math.floor(bytes / BYTES_A_TOKEN))
    local part = handle:excerpt { stream = stream, budget_tokens = tokens }
    return tail_of(part.text, bytes), part.complete and #part.text <= bytes
  end
  local first = handle:read { stream = stream, max_bytes = MIN_EXCERPT_BYTES }
  if not first.more and #first.text <= bytes then
    return first.text, true
  end
  local last = handle:tail { stream = stream, lines = MIN_EXCERPT_BYTES,
    max_bytes = MIN_EXCERPT_BYTES }
  local half = math.floor(bytes / 2)
  return head_of(first.text, half) .. tail_of(last.text, bytes - half), false
end

-- Divides a number of bytes between stdout and stderr: half each, or what the other leaves.
local function shares(info, bytes)
  local half = math.floor(bytes / 2)
  local stderr = math.min(info.stderr.bytes, math.max(half, bytes - info.stdout.bytes))
  return { stdout = bytes - stderr, stderr = stderr }
end

--- Returns the output of a command that has ended. Long output is reduced to its beginning, its end
--- and the lines that look like errors.
---
--- Example: `local data = format.result(handle, args.max_output_bytes)`
---@param handle Run
---@param max_bytes? integer of both streams
---@return table data
---@return boolean cut something is left out, and the texts do not say so
function M.result(handle, max_bytes)
  local info = handle:info()
  local data = {
    run_id = handle.id, status = info.state, exit_code = info.exit_code, reason = info.reason,
    truncated = false,
  }
  local share = max_bytes and shares(info, max_bytes)
  for _, stream in ipairs { 'stdout', 'stderr' } do
    local bytes = share and share[stream] or DEFAULT_TOKENS * BYTES_A_TOKEN
    local text, complete = within(handle, stream, bytes)
    data[stream] = text
    data.truncated = data.truncated or not complete
  end
  return data, data.truncated and max_bytes ~= nil
end

--- Returns the output of a command that has ended, as text.
---
--- Example: `local text = format.result_text(data)`
---@param data table
---@param cut? boolean
---@return string
function M.result_text(data, cut)
  local text = data.stdout
  if data.stderr ~= '' then
    text = text .. (text ~= '' and text:sub(-1) ~= '\n' and '\n' or '') .. data.stderr
  end
  local notes = cut and '[output over max_output_bytes is left out]' or ''
  if data.exit_code ~= 0 then
    notes = ('%s[%s]'):format(notes, data.reason or data.status)
  elseif not cut then
    return text ~= '' and text or '(no output)'
  end
  return text .. (text ~= '' and text:sub(-1) ~= '\n' and '\n' or '') .. notes
end

return M
