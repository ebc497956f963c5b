-- A runtime: functions of the C interface as methods. The library calls nothing here; poll() and
-- wait() take its messages and pass them on.
-- luacheck: std luajit
local ffi = require 'ffi'

local failure = require 'gibbous.failure'
local host_call = require 'gibbous.host_call'
local json = require 'gibbous.json'
local native = require 'gibbous.native'
local queue = require 'gibbous.queue'

local MAX_READ_BYTES = 1024 * 1024
local READ_BYTES = 64 * 1024
---@alias gibbous.ToolFormat 'mcp'|'openai'|'openai-strict'|'openai-responses'
---|'openai-responses-strict'|'anthropic'|'gemini'
local FORMATS = {
  'mcp',
  'openai',
  'openai-strict',
  'openai-responses',
  'openai-responses-strict',
  'anthropic',
  'gemini',
}
local IS_FORMAT = {}
for _, name in ipairs(FORMATS) do
  IS_FORMAT[name] = true
end
local STREAMS = { stdout = 1, stderr = 2 }
local MESSAGES = {
  closed = 'the runtime is closed',
  wrong_thread = 'the runtime belongs to another thread',
  forked = 'the runtime belongs to the parent of this process',
  not_found = 'there is no such thing, or it has ended',
}

---A runtime. It belongs to the thread that made it. Every method that the library can refuse
---returns nil and a gibbous.Error then; a wrong argument raises an error that names it.
---@class gibbous.Runtime
local Runtime = {}
Runtime.__index = Runtime
for _, methods in ipairs { require 'gibbous.calls', require 'gibbous.turns' } do
  for name, method in pairs(methods) do
    Runtime[name] = method
  end
end

local M = {}

--- Makes a Runtime of a handle, which it owns.
---@param library gibbous.Library
---@param handle ffi.cdata*
---@param parts { tools: table<string, gibbous.Tool>, functions: table<string, gibbous.Function>,
--- on_error: function }
---@return gibbous.Runtime
function M.wrap(library, handle, parts)
  local functions = library.functions
  local message = ffi.new 'gib_message'
  message.size = ffi.sizeof 'gib_message'
  local budget = ffi.new 'gib_budget'
  budget.size = ffi.sizeof 'gib_budget'
  return setmetatable({
    library = library.path,
    _functions = functions, _message = message, _budget = budget,
    -- The closure keeps the library for as long as a forgotten runtime is not destroyed.
    _handle = ffi.gc(handle, function(forgotten) functions.gib_destroy(forgotten) end),
    _tools = parts.tools, _host_functions = parts.functions, _on_error = parts.on_error,
    _pending = {}, _open = {}, _event_handlers = {}, _on_closed = {}, _is_over = false,
    _contexts = setmetatable({}, { __mode = 'k' }),
  }, Runtime)
end

-- Returns the number, or nil and an error; a wrong argument is the mistake of the caller's caller.
function Runtime:_check(returned, level)
  local code = tonumber(returned)
  if code >= 0 then
    self:_wake()
    return code
  end
  local said = ffi.string(self._functions.gib_error(self._handle))
  if code == native.INVALID then
    error(said, (level or 2) + 1)
  end
  local name = native.code[code] or 'failed'
  return nil, failure.new(name, said ~= '' and said or MESSAGES[name] or name)
end

-- As _check, for functions that return nothing else: true instead of the number.
function Runtime:_done(returned)
  local code, err = self:_check(returned, 3)
  return code and true, err
end

-- As _check, for functions that return a text.
function Runtime:_text(text)
  if text ~= nil then
    return ffi.string(text)
  end
  local code = self._functions.gib_check(self._handle)
  return self:_check(code < 0 and code or native.FAILED, 3)
end

-- Tells the loop that the runtime is attached to, if it is, to turn soon.
function Runtime:_wake()
  if self._on_wake then
    self._on_wake()
  end
end

function Runtime:_report(where, trace)
  queue.report(self, where, trace)
end

function Runtime:_reply(token, reply)
  failure.check_type(reply, 'answer', 'table', 3)
  local functions = self._functions
  local done, err = self:_done(functions.gib_reply(self._handle, token,
    json.encode(reply, 'answer', 3)))
  if done then
    self._open[token] = nil
  end
  return done, err
end

function Runtime:_progress(token, progress)
  return self:_done(self._functions.gib_progress(self._handle, token,
    json.encode(progress, 'progress', 3)))
end

-- As _check, for functions that return the number of an answer to come: remembers who waits for it.
function Runtime:_expect(returned, waiting)
  local id, err = self:_check(returned, 3)
  if id then
    self._pending[id] = waiting
    self:_wake() -- now the loop knows that a call is open
  end
  return id, err
end

--- Calls a function with each event: { event = its name, session, run?, ... }. Returns a function
--- that takes it away.
---@param fn fun(event: table)
---@return fun()
function Runtime:on_event(fn)
  failure.check_type(fn, 'fn', 'function')
  local handlers = self._event_handlers
  handlers[#handlers + 1] = fn
  return function()
    for index, each in ipairs(handlers) do
      if each == fn then
        return table.remove(handlers, index)
      end
    end
  end
end

---@class gibbous.AskAnswer
---@field allow? boolean
---@field no_approver? boolean instead of `allow`: no person can be asked, and the call ends with
--- the code `needs_approval`
---@field reason? string why it is refused, for the model
---@field remember? 'once'|'session'|'always' default: 'once'
---@field about? 'command'|'rule' what is remembered; default: 'command'
---@field lasts_s? number for `always`: seconds until it expires; default: never
---@field who? string for the list of approvals

--- Sets the function that is called when the policy needs a person. It answers, now or later, with
--- the function that it is given. An error that it raises denies. Without such a function, the call
--- ends with the code `needs_approval`. `on_withdrawn` gets the same table when the call ends
--- before it was answered.
---@param fn? fun(ask: table, answer: fun(answer: gibbous.AskAnswer): true?, gibbous.Error?)
---@param on_withdrawn? fun(ask: table)
function Runtime:on_ask(fn, on_withdrawn)
  failure.check_type(fn, 'fn', 'function?')
  failure.check_type(on_withdrawn, 'on_withdrawn', 'function?')
  self._on_ask, self._on_withdrawn = fn, on_withdrawn
end

---@class gibbous.Input
---@field id string
---@field session string
---@field kind 'elicitation'|'sampling' a form for a person, or a text of a model
---@field params table MCP's of elicitation/create or sampling/createMessage
---@field call? integer the call of this program that led to it

--- Sets the function that is called when a script asks the client of a call (ask in scripts). It
--- answers, now or later, with the function that it is given: in MCP's terms, { action = 'accept',
--- content = {...} } or { action = 'decline' } for a form; nil: no person can be asked, as without
--- such a function and when it raises an error. `on_withdrawn` gets the same table when the script
--- waits no longer.
---@param fn? fun(input: gibbous.Input, answer: fun(result?: table): true?, gibbous.Error?)
---@param on_withdrawn? fun(input: gibbous.Input)
function Runtime:on_input(fn, on_withdrawn)
  failure.check_type(fn, 'fn', 'function?')
  failure.check_type(on_withdrawn, 'on_withdrawn', 'function?')
  self._on_input, self._on_input_withdrawn = fn, on_withdrawn
end

--- Adds a tool that this program carries out. It is listed, judged by the policy and called like
--- those of the scripts. Loads the scripts again: some 50 ms.
---@param tool gibbous.Tool
---@return true?
---@return gibbous.Error? err failed: the scripts refuse it
function Runtime:tool(tool)
  local told = host_call.definition(tool, 'tool', 2)
  local text = json.encode(told, 'tool')
  local done, err = self:_done(self._functions.gib_tool_add(self._handle, text))
  if done then
    self._tools[tool.name] = tool
  end
  return done, err
end

--- Removes a tool of this program.
---@param name string
---@return true?
---@return gibbous.Error? err not_found: this program has no such tool
function Runtime:remove_tool(name)
  failure.check_type(name, 'name', 'string')
  local done, err = self:_done(self._functions.gib_tool_remove(self._handle, name))
  if done then
    self._tools[name] = nil
  end
  return done, err
end

--- Adds a function that scripts call as host.NAME(args). Loads the scripts again: some 50 ms.
---@param fn gibbous.Function
---@return true?
---@return gibbous.Error? err failed: the scripts refuse it, for example because of its schema
function Runtime:add_function(fn)
  local told = host_call.definition(fn, 'function', 2, host_call.FUNCTION_MEMBERS)
  local text = json.encode(told, 'function')
  local done, err = self:_done(self._functions.gib_function_add(self._handle, text))
  if done then
    self._host_functions[fn.name] = fn
  end
  return done, err
end

--- Removes a function of this program.
---@param name string
---@return true?
---@return gibbous.Error? err not_found: this program has no such function
function Runtime:remove_function(name)
  failure.check_type(name, 'name', 'string')
  local done, err = self:_done(self._functions.gib_function_remove(self._handle, name))
  if done then
    self._host_functions[name] = nil
  end
  return done, err
end

--- Returns the current tools as a model's interface wants them, and the same as JSON text, which
--- tells an empty list from an empty object.
---@param format gibbous.ToolFormat
---@return table? tools
---@return string|gibbous.Error text
function Runtime:tools(format)
  if not IS_FORMAT[format] then
    local known = table.concat(FORMATS, ', ')
    error(('format: expected one of %s, got %s'):format(known, tostring(format)), 2)
  end
  local text, err = self:_text(self._functions.gib_tools(self._handle, format))
  if not text then
    return nil, err
  end
  return json.decode(text), text
end

--- Returns what resources the scripts have at the moment, as MCP lists them.
---@return { resources: table[], templates: table[] }?
---@return gibbous.Error? err
function Runtime:resources()
  local text, err = self:_text(self._functions.gib_resources(self._handle))
  return text and json.decode(text), err
end

--- Returns what prompts the scripts have at the moment, as MCP lists them.
---@return table[]?
---@return gibbous.Error? err
function Runtime:prompts()
  local text, err = self:_text(self._functions.gib_prompts(self._handle))
  return text and json.decode(text).prompts, err
end

--- Reads raw output of a run from a cursor on; reading consumes nothing. Returns the bytes, the
--- cursor of the next read, and whether nothing more will ever come. Bytes that are no longer kept
--- are left out: then the next cursor is larger than the old one and the bytes together.
---@param run string
---@param stream 'stdout'|'stderr'
---@param cursor? number default: 0
---@param max? number bytes, 1 to 1048576; default: 65536
---@return string? bytes
---@return number|gibbous.Error next the error: not_found
---@return boolean? ended
function Runtime:read(run, stream, cursor, max)
  failure.check_type(run, 'run', 'string')
  failure.check_type(cursor, 'cursor', 'number?')
  failure.check_type(max, 'max', 'number?')
  local number = STREAMS[stream]
  if not number then
    error(("stream: expected 'stdout' or 'stderr', got %s"):format(tostring(stream)), 2)
  end
  max, cursor = max or READ_BYTES, cursor or 0
  if not (max >= 1 and max <= MAX_READ_BYTES) then
    error(('max: expected 1 to %d'):format(MAX_READ_BYTES), 2)
  elseif not (cursor >= 0 and cursor < 2 ^ 53) then
    error('cursor: expected 0 or more', 2)
  end
  local buffer = ffi.new('char[?]', max)
  local at, ended = ffi.new('uint64_t[1]', cursor), ffi.new 'int[1]'
  local size, err = self:_check(self._functions.gib_read(
    self._handle, run, number, at, buffer, max, ended))
  if not size then
    return nil, err
  end
  return ffi.string(buffer, size), tonumber(at[0]), ended[0] == 1
end

--- Loads scripts and policies again, now.
---@return true?
---@return gibbous.Error? err failed: they are broken, and those before stay
function Runtime:reload()
  return self:_done(self._functions.gib_reload(self._handle))
end

--- Returns { version, mode, session, generation, policy_error }.
---@return table?
---@return gibbous.Error? err
function Runtime:info()
  local text, err = self:_text(self._functions.gib_info(self._handle))
  return text and json.decode(text), err
end

return M
