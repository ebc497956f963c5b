-- Calls: results, errors, progress, cancelling, awaiting, and wrong use.
-- luacheck: std luajit
local support = require 'support'

local test, equal, contains, raises = support.test, support.equal, support.contains, support.raises

test('a call gives its result to its function, from a later turn', function()
  local rt = support.runtime()
  local result
  local call = rt:call('bg_start', { command = 'echo hi' }, nil, function(given)
    result = given
  end)
  equal(type(call), 'number')
  equal(result, nil)
  support.wait_for(rt, 'the result', function() return result end)
  contains(result.text, 'Process started')
  equal(#result.data.id, 8)
end)

test('a call that fails gives nil and an error with a code, which prints as a sentence', function()
  local rt = support.runtime()
  local result, err = support.call(rt, 'bg_stat', {})
  equal(result, nil)
  equal(err.code, 'unknown_tool')
  contains(tostring(err), 'unknown_tool: ')
  contains(err.message, 'bg_stat')
end)

test('wrong arguments of a tool name the field', function()
  local rt = support.runtime()
  local _, err = support.call(rt, 'bg_start', { command = 7 })
  equal(err.code, 'invalid_arguments')
  contains(err.message, 'command')
end)

test('await gives the result inside a coroutine', function()
  local rt = support.runtime()
  support.inside(rt, function()
    local started = assert(rt:await('bg_start', { command = 'echo up; exit 3' }))
    local waited = rt:await('wait_for', { id = started.data.id, exit = true })
    assert(waited, 'expected a result')
    local runs = assert(rt:runs())
    equal(#runs, 1)
    equal(runs[1].exit_code, 3)
  end)
end)

test('await waits on when another one resumes its coroutine', function()
  local rt = support.runtime()
  local text
  local work = coroutine.create(function()
    text = rt:await('bg_status', {}).text
  end)
  assert(coroutine.resume(work))
  assert(coroutine.resume(work))
  equal(text, nil)
  support.wait_for(rt, 'the result', function() return text end)
end)

test('await outside of a coroutine says what to do', function()
  local rt = support.runtime()
  raises('expected to be called in a coroutine', rt.await, rt, 'bg_status', {})
end)

test('a cancelled call ends with the code cancelled, and its process with it', function()
  local rt = support.runtime()
  local err, pid
  local call
  rt:on_event(function(event)
    if event.event == 'run_started' then
      pid = event.pid
      assert(rt:cancel(call))
    end
  end)
  call = rt:call('bg_start', { command = 'sleep 600', ['until'] = { line = 'never' } }, nil,
    function(_, given) err = given end)
  support.wait_for(rt, 'the end', function() return err end)
  equal(err.code, 'cancelled')
  local _, gone = rt:cancel(call)
  equal(gone.code, 'not_found')
  support.wait_for_end(pid)
end)

test('timeout_ms ends a call with the code timeout', function()
  local rt = support.runtime()
  local _, err = support.call(rt, 'bg_start',
    { command = 'sleep 600', ['until'] = { line = 'never' } }, { timeout_ms = 50 })
  equal(err.code, 'timeout')
end)

test('a backlog has the events that the agent of a session has not seen, once', function()
  local rt = support.runtime()
  local is_over
  rt:on_event(function(event) is_over = is_over or event.event == 'run_ended' end)
  assert(support.call(rt, 'bg_start', { command = 'exit 4' }, { session = 'a' }))
  support.wait_for(rt, 'the end of the run', function() return is_over end)
  support.inside(rt, function()
    local result = assert(rt:await('bg_status', {}, { session = 'a', backlog = true }))
    local later = assert(rt:backlog 'a')
    local count = 0
    for _, event in ipairs(result.backlog or {}) do
      count = count + (event.event == 'run_ended' and 1 or 0)
    end
    -- The result itself tells of the end, or else the backlog does.
    assert(count + #(result.reported or {}) > 0)
    equal(#later, 0)
  end)
end)

test('wrong use raises an error that names the argument', function()
  local rt = support.runtime()
  raises('name: expected a string, got nil', rt.call, rt)
  raises('arguments: expected a table, got string', rt.call, rt, 'bg_status', 'x')
  raises('options.sesion: there is no such member', rt.call, rt, 'bg_status', {}, { sesion = 'a' })
  raises('options.timeout_ms: expected a number', rt.call, rt, 'x', {}, { timeout_ms = 'soon' })
  raises('on_done: expected a function', rt.call, rt, 'bg_status', {}, {}, 7)
  raises('request.arguments.a: expected a finite number', rt.call, rt, 'x', { a = 0 / 0 })
  raises('request.arguments.a: expected UTF-8', rt.call, rt, 'x', { a = '\255' })
  raises('request.arguments: expected names that are strings', rt.call, rt, 'x', { [2] = 1 })
  local own = {}
  own.own = own
  raises('does one hold itself?', rt.call, rt, 'x', own)
  raises('request.priority', rt.call, rt, 'x', {}, { priority = 101 })
  raises('request.timeout_ms', rt.call, rt, 'x', {}, { timeout_ms = -1 })
  raises('ms: expected 0 or more', rt.wait, rt, -1)
  raises('budget.byte: there is no such member', rt.poll, rt, { byte = 1 })
  raises('budget.bytes: expected 0 or more', rt.poll, rt, { bytes = -1 })
  raises('format: expected', rt.tools, rt, 'xml')
end)

test('tools are listed as each interface of a model wants them', function()
  local rt = support.runtime { toolsets = { 'wait' } }
  local listed, text = rt:tools 'anthropic'
  equal(#listed, 1)
  equal(listed[1].name, 'wait_for')
  assert(listed[1].input_schema)
  contains(text, '"wait_for"')
  equal(rt:tools('openai')[1].type, 'function')
  assert(rt:tools 'mcp')
end)

test('info and reload say what the runtime is', function()
  local rt = support.runtime { mode = 'plan' }
  local before = rt:info()
  equal(before.mode, 'plan')
  assert(rt:reload())
  equal(rt:info().generation, before.generation + 1)
end)

support.run()
