-- Calls of a runtime, and the lists that it is asked for. A function gets the answer, or a
-- coroutine waits for it.
-- luacheck: std luajit
local failure = require 'gibbous.failure'
local json = require 'gibbous.json'

local CALL_MEMBERS = {
  session = 'string?', backlog = 'boolean?', timeout_ms = 'number?', priority = 'number?',
  on_progress = 'function?',
}

---@class gibbous.Runtime
local Runtime = {}

---@class gibbous.CallOptions
---@field session? string default: the runtime's own
---@field backlog? boolean the result has `backlog`: events that the session's agent has not seen
---@field timeout_ms? number ends the call with the code `timeout`; default: never
---@field priority? integer -100 to 100, default 0: scripts of calls with a higher one run first
---@field on_progress? fun(progress: gibbous.Progress)

---@class gibbous.Progress
---@field progress number increases with every report
---@field total? number
---@field message string
---@field waiting? boolean the runtime reports that the call waits; else its tool reports

---@class gibbous.Result
---@field text string for a model
---@field data? table for programs
---@field structured? boolean the data is for models, too
---@field content? table[] the whole result as MCP's content blocks, where it is more than text
---@field backlog? table[] events
---@field reported? { run: string, ended: boolean }[] runs whose state the result tells

-- Starts a call of a target: { tool = NAME, arguments = {} } and its like.
local function begin_call(self, target, options, on_done)
  failure.check_type(options, 'options', 'table?', 3)
  failure.check_type(on_done, 'on_done', 'function?', 3)
  options = options or {}
  failure.check_members(options, 'options', CALL_MEMBERS, 3)
  target.session, target.backlog = options.session, options.backlog
  target.timeout_ms, target.priority = options.timeout_ms, options.priority
  target.progress = options.on_progress ~= nil
  local request = json.encode(target, 'request', 3)
  return self:_expect(self._functions.gib_call(self._handle, request), {
    on_done = on_done or function() end, on_progress = options.on_progress,
  })
end

--- Starts a call of a tool. `on_done` comes exactly once, from a later turn, with the result, or
--- with nil and an error. Returns the number of the call.
---@param name string
---@param arguments? table
---@param options? gibbous.CallOptions
---@param on_done? fun(result?: gibbous.Result, err?: gibbous.Error)
---@return integer? call
---@return gibbous.Error? err closed, wrong_thread, forked
function Runtime:call(name, arguments, options, on_done)
  failure.check_type(name, 'name', 'string')
  failure.check_type(arguments, 'arguments', 'table?')
  return begin_call(self, { tool = name, arguments = arguments or {} }, options, on_done)
end

-- Suspends the coroutine until what `start` began calls its function.
local function suspend(self, start)
  local work, is_main = coroutine.running()
  if not work or is_main then
    error('expected to be called in a coroutine; elsewhere give a function, and use rt:wait()', 3)
  end
  local ctx = self._contexts[work]
  if ctx and ctx.cancelled then
    return nil, failure.new('cancelled', 'the call of this tool has ended')
  end
  local outcome, is_waiting
  local id, err = start(function(...)
    outcome = { n = select('#', ...), ... }
    if is_waiting then
      local good, trace = coroutine.resume(work)
      if not good then
        error(debug.traceback(work, tostring(trace)), 0)
      end
    end
  end)
  if not id then
    return nil, err
  end
  if ctx then
    ctx._awaited = id
  end
  while not outcome do
    is_waiting = true
    coroutine.yield() -- other code may resume, too
    is_waiting = false
  end
  if ctx then
    ctx._awaited = nil
  end
  return unpack(outcome, 1, outcome.n)
end

--- Calls a tool inside a coroutine, and returns what on_done would be given; raises an error
--- outside of one. In the `run` of a tool, the call is cancelled with the call of that tool.
---@param name string
---@param arguments? table
---@param options? gibbous.CallOptions
---@return gibbous.Result?
---@return gibbous.Error?
function Runtime:await(name, arguments, options)
  return suspend(self, function(on_done)
    return self:call(name, arguments, options, on_done)
  end)
end

--- Cancels a call and all that it started to get its answer. Its on_done still comes, with the
--- code `cancelled`.
---@param call integer
---@return true?
---@return gibbous.Error? err not_found: it has ended
function Runtime:cancel(call)
  failure.check_type(call, 'call', 'number')
  return self:_done(self._functions.gib_cancel(self._handle, call))
end

-- Asks for a list: `on_done` gets it, or else the coroutine that calls this waits for it.
local function listed(self, start, session, on_done)
  failure.check_type(session, 'session', 'string?', 3)
  failure.check_type(on_done, 'on_done', 'function?', 3)
  local function begin(fn)
    return self:_expect(start(self._handle, session), { on_done = fn })
  end
  if on_done then
    return begin(on_done)
  end
  return suspend(self, begin)
end

--- Asks for the remembered runs of a session; nil: of every one. `on_done` gets the list; without
--- it, in a coroutine, the list is returned.
---@param session? string
---@param on_done? fun(runs?: table[], err?: gibbous.Error)
---@return integer|table[]? call its number with `on_done`, else the list
---@return gibbous.Error? err
function Runtime:runs(session, on_done)
  return listed(self, self._functions.gib_runs, session, on_done)
end

--- Asks for the events that a session's agent has not seen, which then count as delivered.
--- `on_done` gets the list; without it, in a coroutine, the list is returned.
---@param session? string
---@param on_done? fun(events?: table[], err?: gibbous.Error)
---@return integer|table[]? call its number with `on_done`, else the list
---@return gibbous.Error? err
function Runtime:backlog(session, on_done)
  return listed(self, self._functions.gib_backlog, session, on_done)
end

-- Gets a part of what scripts offer besides tools: `on_done` gets it, or else the coroutine that
-- calls this waits for it.
local function offered(self, target, member, options, on_done)
  local function start(fn)
    return begin_call(self, target, options, function(result, err)
      local data = result and result.data
      fn(data and (member and data[member] or data), err)
    end)
  end
  if on_done then
    return start(on_done)
  end
  return suspend(self, start)
end

--- Reads a resource of the scripts. `on_done` gets MCP's contents, a list of { uri, mimeType?, text
--- or blob }; without it, in a coroutine, the list is returned.
---@param uri string
---@param options? gibbous.CallOptions
---@param on_done? fun(contents?: table[], err?: gibbous.Error)
---@return integer|table[]? call its number with `on_done`, else the list
---@return gibbous.Error? err resource_not_found
function Runtime:read_resource(uri, options, on_done)
  failure.check_type(uri, 'uri', 'string')
  return offered(self, { resource = uri }, 'contents', options, on_done)
end

--- Gets a prompt of the scripts. `on_done` gets { description?, messages }, in MCP's terms; without
--- it, in a coroutine, the prompt is returned.
---@param name string
---@param arguments? table<string, string>
---@param options? gibbous.CallOptions
---@param on_done? fun(prompt?: table, err?: gibbous.Error)
---@return integer|table? call its number with `on_done`, else the prompt
---@return gibbous.Error? err unknown_prompt, invalid_arguments
function Runtime:get_prompt(name, arguments, options, on_done)
  failure.check_type(name, 'name', 'string')
  failure.check_type(arguments, 'arguments', 'table?')
  return offered(self, { prompt = name, arguments = arguments or {} }, nil, options, on_done)
end

return Runtime
