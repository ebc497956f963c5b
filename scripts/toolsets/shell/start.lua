-- How `shell` starts runs: limits, watchers, and how much of the output is kept.
local asked_watch = require 'toolsets.asked_watch'
local checked = require 'toolsets.checked'
local format = require 'toolsets.shell.format'
local required = require 'toolsets.required'
local texts = require 'toolsets.format'

local M = {}

local MAX_TIMEOUT_SECS = 30 * 24 * 60 * 60
-- The journal keeps at least this much of a run; poll applies smaller limits.
local MIN_RECORDED_BYTES = 256
local CAP_KEY = 'cap.'
local MAX_CAPS = 500
local MAX_SESSION_BYTES = 256

local function timeout_ms(args, usual)
  local secs = args.timeout_secs
  if not secs then
    return usual
  end
  return math.min(secs, MAX_TIMEOUT_SECS) * 1000
end

local function start(how, args, options)
  return checked(asked_watch.start(how, args, options))
end

local function recorded_bytes(args)
  return args.max_output_bytes and math.max(args.max_output_bytes, MIN_RECORDED_BYTES)
end

-- Stores a cap that is smaller than what the journal keeps, and drops those of forgotten runs.
local function remember_cap(id, args)
  if not args.max_output_bytes or args.max_output_bytes >= MIN_RECORDED_BYTES then
    return
  end
  local keys = store.keys(CAP_KEY)
  if #keys >= MAX_CAPS then
    for _, key in ipairs(keys) do
      if not run.get(key:sub(#CAP_KEY + 1)) then
        store.delete(key)
      end
    end
  end
  store.set(CAP_KEY .. id, args.max_output_bytes)
end

-- Returns the bytes of output before the items of a poll.
local function output_before(id, since_seq)
  local bytes, cursor = 0, 0
  while cursor < since_seq do
    local page = checked(journal.items(id, { since_seq = cursor, clean = true }))
    bytes = bytes + format.output_bytes(page.items, since_seq)
    cursor = page.more and page.next_seq or since_seq
  end
  return bytes
end

--- Returns how much of the output of a run may still be given after `since_seq`; nil: no limit.
---
--- Example: `local left = start.output_left(id, 0)`
---@param id string
---@param since_seq integer
---@return integer?
function M.output_left(id, since_seq)
  local cap = store.get(CAP_KEY .. id)
  return cap and cap - output_before(id, since_seq)
end

--- Runs the command and waits for its end.
---
--- Example: `local handle = start.wait_for_end(args, 'spawn')`
---@param args table
---@param action string
---@return Run
function M.wait_for_end(args, action)
  local handle = start(run.start, args, {
    command = required(args, 'command', action), timeout_ms = timeout_ms(args, nil),
    background = false, pty = args.pty, max_output_bytes = recorded_bytes(args),
  })
  remember_cap(handle.id, args)
  checked(handle:wait { any = { { kind = 'exit' } } })
  return handle
end

--- Queues the command in its session.
---
--- Example: `return start.queue(args, ctx)`
---@param args table
---@param ctx Ctx
---@return table result
function M.queue(args, ctx)
  local session = args.session_id or ctx.session
  if #session > MAX_SESSION_BYTES or session:find '%z' then
    local name = args.session_id and 'args.session_id' or 'session'
    tool.error('invalid_arguments', ('%s: expected at most %d bytes, and no NUL'):format(
      name, MAX_SESSION_BYTES))
  end
  local queued = start(run.queue, args, {
    command = required(args, 'command', 'spawn'), session = session,
    timeout_ms = timeout_ms(args, 0), pty = args.pty, max_output_bytes = recorded_bytes(args),
    request_id = args.request_id, priority = args.priority,
  })
  remember_cap(queued.id, args)
  local place = queued.state == 'queued' and journal.queue(queued.id)
  local behind = place and place.before and
    (', behind run %s (%s)'):format(place.before.id, texts.one_line(place.before.command))
    or place and place.reason and ': ' .. place.reason or ''
  local known = queued.repeated and ' (an earlier call with this request_id started it)' or ''
  return {
    text = ('Run %s is %s%s%s. Use action=poll with run_id to see its output.'):format(
      queued.id, queued.state, behind, known
    ),
    data = {
      run_id = queued.id, session_id = session, status = queued.state,
      behind = place and place.before and place.before.id or nil,
    },
  }
end

return M
