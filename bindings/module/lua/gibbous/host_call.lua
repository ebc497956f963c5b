-- Tools and functions of the host: each call of one runs as a coroutine of its own, and is
-- answered once. Called by the queue, on the thread of the runtime.
-- luacheck: std luajit
local failure = require 'gibbous.failure'
local utf8 = require 'gibbous.utf8'

local M = {}

---@class gibbous.Tool
---@field name string 1 to 64 letters, digits, _ and -; no other tool's
---@field description string what a model reads
---@field permission 'read'|'write'|'execute' what the policy judges it as
---@field title? string for people
---@field input? table JSON Schema of an object; default: it takes no arguments
---@field output? table JSON Schema of `data`
---@field structured? boolean its data is for models, too
---@field timeout_ms? number ends a call that is not answered; 0: never; default: 60000
---@field run fun(args: table, ctx: gibbous.ToolContext): string|gibbous.ToolAnswer|nil, any
--- carries out a call. It is called in a coroutine, so that it may use rt:await(). It returns a
--- text, a ToolAnswer or nothing, or nil and an error: a sentence, or { code, message }.

---A function that scripts call as host.NAME(args); no client sees it, and policies cannot call it.
---@class gibbous.Function
---@field name string up to 50 letters, digits and _, no digit first
---@field description string what it is for
---@field permission 'read'|'write'|'execute' what the policy judges a call as
---@field input? table JSON Schema of an object; default: it takes no arguments
---@field output? table JSON Schema of its value
---@field timeout_ms? number ends a call that is not answered; 0: never; default: 60000
---@field run fun(args: table, ctx: gibbous.ToolContext): any, any as a tool's, but returns any
--- value that JSON has, or nil and an error

---@class gibbous.ToolAnswer
---@field text? string for the model
---@field data? table for programs

---@type table<string, string>
M.MEMBERS = {
  name = 'string', description = 'string', permission = 'string', title = 'string?',
  input = 'table?', output = 'table?', structured = 'boolean?', timeout_ms = 'number?',
  run = 'function',
}

---@type table<string, string>
M.FUNCTION_MEMBERS = {
  name = 'string', description = 'string', permission = 'string', input = 'table?',
  output = 'table?', timeout_ms = 'number?', run = 'function',
}

--- Returns what the library is told of a tool or a function: all but the Lua function.
---@param tool gibbous.Tool|gibbous.Function
---@param name string what to call it in errors
---@param level integer as for error()
---@param members? table<string, string> default: those of a tool
---@return table
function M.definition(tool, name, level, members)
  failure.check_type(tool, name, 'table', level + 1)
  failure.check_members(tool, name, members or M.MEMBERS, level + 1)
  local told = {}
  for member, value in pairs(tool) do
    told[member] = member ~= 'run' and value or nil
  end
  return told
end

---A call of a tool or a function of the host.
---@class gibbous.ToolContext
---@field tool? string the name of the tool
---@field name? string the name of the function
---@field session string the session of the caller
---@field call? integer the call of this program that led to it, if there is one
---@field cancelled boolean the call has ended without its answer: `run` should return
local Context = {}
Context.__index = Context

--- Tells the caller how far the call is. Returns nil and an error when the call has ended.
---@param progress number
---@param total? number
---@param message? string
---@return true?
---@return gibbous.Error?
function Context:progress(progress, total, message)
  return self._rt:_progress(self._token, {
    progress = progress, total = total, message = message,
  })
end

--- Says that the call is answered later. Returns the function that does it, which takes what `run`
--- would return; what `run` returns then does not count. It returns nil and an error when the call
--- has ended.
---@return fun(answer: string|gibbous.ToolAnswer|nil, err: any): true?, gibbous.Error?
function Context:later()
  self._is_later = true
  return function(...)
    return self._rt:_reply(self._token, self._reply_of(...))
  end
end

--- Calls a function when the call ends without its answer, because it was cancelled or took too
--- long.
---@param fn fun()
function Context:on_cancel(fn)
  failure.check_type(fn, 'fn', 'function')
  self._on_cancel = fn
end

local function failed(code, message)
  return { error = { code = code, message = message } }
end

local function error_of(err)
  if type(err) ~= 'table' then
    return failed('failed', utf8.clean(tostring(err)))
  end
  local message = tostring(err.message or 'it failed')
  return failed(tostring(err.code or 'failed'), utf8.clean(message))
end

--- Returns the reply for what a tool returned. Texts may hold any bytes, as those of an editor's
--- buffers do; JSON holds only UTF-8.
---@param answer string|gibbous.ToolAnswer|nil
---@param err any
---@return table
function M.reply_of(answer, err)
  if answer == nil and err ~= nil then
    return error_of(err)
  elseif answer == nil then
    return {}
  elseif type(answer) == 'table' then
    for member in pairs(answer) do
      if member ~= 'text' and member ~= 'data' then
        error(('a tool returns a text or { text, data }; "%s" belongs in data'):format(
          tostring(member)), 0)
      end
    end
    local text = answer.text
    return { text = type(text) == 'string' and utf8.clean(text) or text, data = answer.data }
  end
  return { text = utf8.clean(tostring(answer)) }
end

--- Returns the reply for what a function returned.
---@param value any
---@param err any
---@return table
function M.value_of(value, err)
  if value == nil and err ~= nil then
    return error_of(err)
  end
  return { value = type(value) == 'string' and utf8.clean(value) or value }
end

--- Begins a call.
---@param rt gibbous.Runtime
---@param token integer
---@param body table the message
---@param call integer the call of this program that led to it; 0: there is none
function M.begin(rt, token, body, call)
  local is_tool = body.tool ~= nil
  local name = body.tool or body['function']
  local what = (is_tool and 'tool ' or 'function ') .. name
  local carried_out = (is_tool and rt._tools or rt._host_functions)[name]
  if not carried_out then -- it was removed meanwhile
    rt:_reply(token, failed('host_error', ('this program has no %s any more'):format(what)))
    return
  end
  local ctx = setmetatable({
    tool = body.tool, name = body['function'], session = body.session,
    call = call > 0 and call or nil, cancelled = false,
    _rt = rt, _token = token, _what = what, _reply_of = is_tool and M.reply_of or M.value_of,
  }, Context)
  local open = { context = ctx }
  rt._open[token] = open
  local function carry_out()
    local answer, err = carried_out.run(body.arguments, ctx)
    if not ctx._is_later then
      rt:_reply(token, ctx._reply_of(answer, err))
    end
  end
  local work = coroutine.create(function()
    local good, trace = xpcall(carry_out, debug.traceback)
    if not good then
      -- A model is told no more: the trace may hold what is none of its business.
      rt:_report(what, trace)
      rt:_reply(token, failed('host_error', ('the %s failed'):format(what)))
    end
  end)
  rt._contexts[work] = ctx
  coroutine.resume(work)
end

--- Tells a call that it has ended without its answer, and cancels the call that it waits for.
---@param rt gibbous.Runtime
---@param open table
function M.cancelled(rt, open)
  local ctx = open.context
  ctx.cancelled = true
  if ctx._awaited then
    rt:cancel(ctx._awaited)
  end
  if ctx._on_cancel then
    local good, trace = xpcall(ctx._on_cancel, debug.traceback)
    if not good then
      rt:_report('on_cancel of the ' .. ctx._what, trace)
    end
  end
end

return M
