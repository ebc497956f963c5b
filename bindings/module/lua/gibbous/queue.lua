-- What a runtime does with the messages of its queue: each goes to the function that waits for it.
-- An error of such a function is reported and breaks nothing. Called by poll() and wait(), on the
-- thread of the runtime.
-- luacheck: std luajit
local ffi = require 'ffi'

local failure = require 'gibbous.failure'
local host_call = require 'gibbous.host_call'
local json = require 'gibbous.json'
local native = require 'gibbous.native'

local M = {}

local KIND = native.kind

--- Calls a function of the host, if there is one. An error goes to the runtime's on_error.
---@param rt gibbous.Runtime
---@param where string what failed, for the report
---@param fn? function
function M.protect(rt, where, fn, ...)
  if not fn then
    return
  end
  local good, trace = xpcall(fn, debug.traceback, ...)
  if not good then
    M.report(rt, where, trace)
  end
end

--- Reports an error of a function of the host.
---@param rt gibbous.Runtime
---@param where string
---@param trace string
function M.report(rt, where, trace)
  if not pcall(rt._on_error, where, tostring(trace)) then
    io.stderr:write(('gibbous: %s: %s\n'):format(where, tostring(trace)))
  end
end

-- Returns what a call came to: its result, or nil and its error.
local function outcome_of(body)
  if body.ok then
    return body
  end
  body.ok = nil
  return nil, failure.of(body)
end

local function settle(rt, id, ...)
  local waiting = rt._pending[id]
  rt._pending[id] = nil
  if waiting then
    M.protect(rt, 'on_done', waiting.on_done, ...)
  end
end

local function ask(rt, token, body, call)
  local open = { ask = body }
  rt._open[token] = open
  body.call = call > 0 and call or nil
  local function answer(reply)
    return rt:_reply(token, reply)
  end
  if not rt._on_ask then
    return answer { no_approver = true }
  end
  local good, trace = xpcall(rt._on_ask, debug.traceback, body, answer)
  if not good then
    M.report(rt, 'on_ask', trace)
    if rt._open[token] then
      answer { allow = false, reason = 'The question could not be shown.' }
    end
  end
end

local function input(rt, token, body, call)
  rt._open[token] = { input = body }
  body.call = call > 0 and call or nil
  local function answer(result)
    return rt:_reply(token, result and { result = result } or { message = 'nobody can be asked' })
  end
  if not rt._on_input then
    return answer(nil)
  end
  local good, trace = xpcall(rt._on_input, debug.traceback, body, answer)
  if not good then
    M.report(rt, 'on_input', trace)
    if rt._open[token] then
      answer(nil)
    end
  end
end

local function withdrawn(rt, token)
  local open = rt._open[token]
  rt._open[token] = nil
  if open and open.ask then
    M.protect(rt, 'on_withdrawn', rt._on_withdrawn, open.ask)
  elseif open and open.input then
    M.protect(rt, 'on_withdrawn', rt._on_input_withdrawn, open.input)
  elseif open then
    host_call.cancelled(rt, open)
  end
end

local function event(rt, body)
  -- A handler may take itself away.
  for _, handler in ipairs { unpack(rt._event_handlers) } do
    M.protect(rt, 'on_event', handler, body)
  end
end

local handlers = {
  [KIND.RESULT] = function(rt, body, message)
    settle(rt, message.call, outcome_of(body))
  end,
  [KIND.PROGRESS] = function(rt, body, message)
    local waiting = rt._pending[message.call]
    M.protect(rt, 'on_progress', waiting and waiting.on_progress, body)
  end,
  [KIND.EVENT] = event,
  [KIND.LOG] = event,
  [KIND.ASK] = function(rt, body, message) ask(rt, message.token, body, message.call) end,
  [KIND.INPUT] = function(rt, body, message) input(rt, message.token, body, message.call) end,
  [KIND.HOST_CALL] = function(rt, body, message)
    host_call.begin(rt, message.token, body, message.call)
  end,
  [KIND.CANCELLED] = function(rt, _, message) withdrawn(rt, message.token) end,
  [KIND.RUNS] = function(rt, body, message) settle(rt, message.call, body.runs) end,
  [KIND.BACKLOG] = function(rt, body, message) settle(rt, message.call, body.events) end,
  [KIND.CLOSED_DOWN] = function(rt) M.finish(rt) end,
}

--- Settles what still waits, and calls the functions that close() was given.
---@param rt gibbous.Runtime
function M.finish(rt)
  if rt._is_over then
    return
  end
  rt._is_over = true
  local err = failure.new('closed', 'the runtime was closed before this had ended')
  for id in pairs(rt._pending) do
    settle(rt, id, nil, err)
  end
  for token in pairs(rt._open) do
    withdrawn(rt, token)
  end
  if rt._detach then
    rt._detach()
  end
  local waiting = rt._on_closed
  rt._on_closed = {}
  for _, on_closed in ipairs(waiting) do
    M.protect(rt, 'on_closed', on_closed)
  end
end

--- Takes messages and passes them on: at most `most`, and none after `limit_us`. Returns true when
--- there may be more.
---@param rt gibbous.Runtime
---@param most integer
---@param limit_us? number of native.now_us()
---@return boolean
function M.drain(rt, most, limit_us)
  local functions, given = rt._functions, rt._message
  for _ = 1, most do
    if functions.gib_next(rt._handle, given) ~= 1 then
      return false
    end
    local handler = handlers[tonumber(given.kind)]
    if handler then
      -- The library may reuse its message as soon as a handler takes the next one.
      local message = { call = tonumber(given.call), token = tonumber(given.token) }
      handler(rt, json.decode(ffi.string(given.json, given.json_size)), message)
    end
    if limit_us and native.now_us() >= limit_us then
      return true
    end
  end
  return true
end

return M
