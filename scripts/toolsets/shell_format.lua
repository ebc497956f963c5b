-- What the tool `shell` says: data for programs, text for models.
local M = {}

-- Of one stream of a command that was waited for, in tokens of about four bytes.
local DEFAULT_TOKENS = 8000
local MAX_TOKENS = 200000

local ENDED = { completed = true, failed = true, killed = true, timeout = true, lost = true }

--- What poll gives of a run and its items.
---
--- Example: `local data = format.poll_data(journal.items(id))`
---@param recorded RecordedItems
---@return table data
function M.poll_data(recorded)
  local items = json.array {}
  for index, item in ipairs(recorded.items) do
    items[index] = {
      seq = item.seq, item_type = item.type, payload = item.payload, meta = item.meta,
      created_at = item.created_ms,
    }
  end
  local of = recorded.run
  return {
    run_id = of.id, session_id = of.session, status = of.state, exit_code = of.exit_code,
    reason = of.reason, items = items, next_seq = recorded.next_seq, more = recorded.more,
    done = ENDED[of.state] == true and not recorded.more,
  }
end

--- What the terminal of a run shows.
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

--- The same for a model: the rows, and where the cursor stands.
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

--- The same for a model: the output as it came, or the screen of a full-screen program; events and
--- ends on lines of their own.
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
  return ('%s[run %s: %s%s next_seq=%d%s]'):format(
    output, data.run_id, data.status, code, data.next_seq, more
  )
end

--- What a command that was waited for has said; too much of it is given by its head, its tail and
--- what looks like errors.
---
--- Example: `local data = format.result(handle, args.max_output_bytes)`
---@param handle Run
---@param max_bytes? integer
---@return table data
function M.result(handle, max_bytes)
  local info = handle:info()
  local tokens = DEFAULT_TOKENS
  if max_bytes then
    tokens = math.max(20, math.min(MAX_TOKENS, math.floor(max_bytes / 4)))
  end
  local data = {
    run_id = handle.id, status = info.state, exit_code = info.exit_code, reason = info.reason,
    truncated = false,
  }
  for _, stream in ipairs { 'stdout', 'stderr' } do
    local part = handle:excerpt { stream = stream, budget_tokens = tokens }
    data[stream] = part.text
    data.truncated = data.truncated or not part.complete
  end
  return data
end

--- The same for a model.
---
--- Example: `local text = format.result_text(data)`
---@param data table
---@return string
function M.result_text(data)
  local text = data.stdout
  if data.stderr ~= '' then
    text = text .. (text ~= '' and text:sub(-1) ~= '\n' and '\n' or '') .. data.stderr
  end
  if data.exit_code == 0 then
    return text ~= '' and text or '(no output)'
  end
  local newline = text ~= '' and text:sub(-1) ~= '\n' and '\n' or ''
  return ('%s%s[%s]'):format(text, newline, data.reason or data.status)
end

return M
