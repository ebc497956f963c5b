-- Waits that were given up may go on: a handle stands for what was waited for. The conditions look
-- at all output that is kept and at how things are, so nothing that happens in between is lost.
local M = {}

local PREFIX = 'wait.'
local MAX_WAITS = 32 -- of one session
local MAX_ALL_WAITS = 256
local MAX_AGE_MS = 24 * 3600 * 1000
-- Handles of a server that was restarted are not given out again: their numbers begin with a clock.
local MS_PER_NUMBER = 100
local NUMBERS = 10000000

-- What a wait that goes on is made of.
local FIELDS = {
  'id', 'ids', 'port', 'host', 'output_regex', 'stream', 'since', 'screen_regex', 'http',
  'http_status', 'exit', 'quiet_ms', 'input', 'file', 'mode',
}

local function number_of(key)
  return tonumber(key:match '(%d+)$') or 0
end

-- Makes room for one more of the session: its own that began first go, and then those of others.
local function forget_old(now, session)
  local keys = store.keys(PREFIX)
  table.sort(keys, function(left, right)
    return number_of(left) > number_of(right)
  end)
  local own, all = 1, 1
  for _, key in ipairs(keys) do
    local kept = store.get(key)
    local is_own = kept and kept.session == session
    local is_full = all >= MAX_ALL_WAITS or (is_own and own >= MAX_WAITS)
    if is_full or not kept or kept.at + MAX_AGE_MS < now then
      store.delete(key)
    else
      own, all = own + (is_own and 1 or 0), all + 1
    end
  end
end

--- Keeps a wait that was given up. Returns its handle, or nil when nothing can be kept.
---
--- Example: `local handle = resume.keep(args, ids, ctx, began_ms)`
---@param args table of wait_for
---@param ids string[] the full IDs of its processes
---@param ctx ToolContext
---@param began_ms number Unix time of its beginning
---@return string?
function M.keep(args, ids, ctx, began_ms)
  local now = time.now_ms()
  forget_old(now, ctx.session)
  local number = (store.get 'last_wait' or math.floor(now / MS_PER_NUMBER) % NUMBERS) + 1
  local wait = { session = ctx.session, at = now }
  for _, field in ipairs(FIELDS) do
    wait[field] = args[field]
  end
  wait.ids = #ids > 1 and ids or nil
  if wait.ids then
    wait.id = nil
  end
  wait.timer_ms = args.timer_ms and math.max(0, began_ms + args.timer_ms - now)
  local handle = 'w' .. number
  if not store.set('last_wait', number) or not store.set(PREFIX .. handle, wait) then
    return nil
  end
  return handle
end

--- Says how a wait goes on; '' without a handle.
---
--- Example: `local sentence = resume.hint 'w2945671'`
---@param handle? string
---@return string
function M.hint(handle)
  return handle and ('\nTo go on waiting: wait_for with resume="%s"'):format(handle) or ''
end

local function refuse(field)
  tool.error('invalid_arguments', field .. ': not with resume, which has its own conditions')
end

--- Returns the arguments of a wait that goes on. Ends the call when there is none of this session.
---
--- Example: `args = resume.restore(args, ctx)`
---@param args table
---@param ctx ToolContext
---@return table
function M.restore(args, ctx)
  for _, field in ipairs(FIELDS) do
    if field ~= 'mode' and args[field] ~= nil then
      refuse(field)
    end
  end
  if args.timer_ms then
    refuse 'timer_ms'
  end
  local wait = store.get(PREFIX .. args.resume)
  if not wait or wait.session ~= ctx.session then
    tool.error('unknown_wait', ('There is no wait %s: it has gone on already, is older than a '
      .. 'day, or its server was restarted. Wait anew with the conditions'):format(args.resume))
  end
  store.delete(PREFIX .. args.resume)
  local now = time.now_ms()
  wait.timer_ms = wait.timer_ms and math.max(0, wait.timer_ms - (now - wait.at))
  wait.session, wait.at, wait.timeout = nil, nil, args.timeout
  return wait
end

return M
