-- Tools of the host: what they answer, and what becomes of a call that goes wrong.
local gibbous = require 'gibbous'
local support = require 'support'

local test, equal, contains, raises = support.test, support.equal, support.contains, support.raises

-- Makes a runtime with one tool, `probe`, and a list of the errors that it reports.
local function with_tool(run, more)
  local reports = {}
  local tool = {
    name = 'probe', description = 'Is tested.', permission = 'read', run = run,
    input = { type = 'object', properties = { text = { type = 'string' } } },
  }
  for name, value in pairs(more or {}) do
    tool[name] = value
  end
  local rt = support.runtime {
    tools = { tool },
    on_error = function(where, trace) reports[#reports + 1] = where .. ': ' .. trace end,
  }
  return rt, reports
end

test('a tool gets its arguments and its context, and returns a text', function()
  local rt = with_tool(function(args, ctx)
    return ('%s %s %s'):format(args.text, ctx.tool, ctx.session)
  end)
  local result = support.call(rt, 'probe', { text = 'hi' }, { session = 'a' })
  equal(result.text, 'hi probe a')
end)

test('a tool returns text and data', function()
  local rt = with_tool(function()
    return { text = 'two', data = { items = gibbous.list {}, more = {} } }
  end)
  local result = support.call(rt, 'probe')
  equal(result.text, 'two')
  equal(type(result.data.items), 'table')
end)

test('a tool that returns nil and an error fails with its code and message', function()
  local rt = with_tool(function()
    return nil, { code = 'not_open', message = 'No such buffer.' }
  end)
  local _, err = support.call(rt, 'probe')
  equal(err.code, 'not_open')
  contains(err.message, 'No such buffer.')
end)

test('a tool that returns nothing answers with an empty text', function()
  local rt = with_tool(function() end)
  equal(support.call(rt, 'probe').text, '')
end)

test('a tool that raises is an error of the call, whose trace only the log has', function()
  local rt, reports = with_tool(function() error 'private detail' end)
  local _, err = support.call(rt, 'probe')
  equal(err.code, 'host_error')
  assert(not err.message:find('private detail', 1, true))
  contains(reports[1], 'private detail')
  contains(reports[1], 'tools_test.lua')
  assert(support.call(rt, 'bg_status'), 'the queue goes on')
end)

test('a tool that raises after it has waited is an error of the call, too', function()
  local rt, reports
  rt, reports = with_tool(function()
    rt:await('bg_status', {})
    error 'late'
  end)
  local _, err = support.call(rt, 'probe')
  equal(err.code, 'host_error')
  contains(reports[1], 'late')
end)

test('a tool that returns a table of another form is reported', function()
  local rt, reports = with_tool(function() return { lines = 3 } end)
  local _, err = support.call(rt, 'probe')
  equal(err.code, 'host_error')
  contains(reports[1], '"lines" belongs in data')
end)

test('bytes that are not UTF-8 are replaced in a text', function()
  local rt = with_tool(function() return 'caf\233 \226\130\172 \255\255' end)
  equal(support.call(rt, 'probe').text, 'caf\239\191\189 \226\130\172 \239\191\189\239\191\189')
end)

test('a tool calls other tools while it works', function()
  local rt
  rt = with_tool(function()
    local started = assert(rt:await('bg_start',
      { command = 'echo inner', ['until'] = { exit = true } }))
    return 'got ' .. started.text
  end)
  contains(support.call(rt, 'probe').text, 'inner')
end)

test('a tool answers later, once', function()
  local answer
  local rt = with_tool(function(_, ctx) answer = ctx:later() end)
  local result
  rt:call('probe', {}, nil, function(given) result = given end)
  support.wait_for(rt, 'the call of the tool', function() return answer end)
  equal(result, nil)
  assert(answer 'at last')
  support.wait_for(rt, 'the result', function() return result end)
  equal(result.text, 'at last')
  local again, err = answer 'once more'
  equal(again, nil)
  equal(err.code, 'not_found')
end)

test('a tool reports how far it is to a caller that wants it', function()
  local rt = with_tool(function(_, ctx)
    assert(ctx:progress(1, 2, 'half'))
    return 'done'
  end)
  local heard
  local result = support.call(rt, 'probe', {}, {
    on_progress = function(progress) heard = progress end,
  })
  equal(result.text, 'done')
  equal(heard.progress, 1)
  equal(heard.total, 2)
  equal(heard.message, 'half')
end)

test('a cancelled tool is told, and the call that it awaits is cancelled with it', function()
  local inner, is_told
  local rt
  rt = with_tool(function(_, ctx)
    ctx:on_cancel(function() is_told = true end)
    local _, err = rt:await('bg_start', { command = 'sleep 600', ['until'] = { line = 'never' } })
    inner = { code = err.code, cancelled = ctx.cancelled }
    return 'in vain'
  end)
  local is_started, outer
  rt:on_event(function(event) is_started = is_started or event.event == 'run_started' end)
  local call = rt:call('probe', {}, nil, function(_, err) outer = err end)
  support.wait_for(rt, 'the run', function() return is_started end)
  assert(rt:cancel(call))
  support.wait_for(rt, 'both ends', function() return outer and inner end)
  equal(outer.code, 'cancelled')
  equal(inner.code, 'cancelled')
  equal(inner.cancelled, true)
  equal(is_told, true)
end)

test('a tool that takes too long ends with timeout', function()
  local rt = with_tool(function(_, ctx) ctx:later() end, { timeout_ms = 50 })
  local _, err = support.call(rt, 'probe')
  equal(err.code, 'timeout')
end)

test('a tool that was called before a reload answers after it', function()
  local answer
  local rt = with_tool(function(_, ctx) answer = ctx:later() end)
  local result
  rt:call('probe', {}, nil, function(given) result = given end)
  support.wait_for(rt, 'the call of the tool', function() return answer end)
  assert(rt:reload())
  assert(answer 'still here')
  support.wait_for(rt, 'the result', function() return result end)
  equal(result.text, 'still here')
  answer = nil
  rt:call('probe')
  support.wait_for(rt, 'a call after the reload', function() return answer end)
end)

test('tools are added and removed', function()
  local rt = support.runtime()
  assert(rt:tool {
    name = 'extra', description = 'Is new.', permission = 'read', run = function() return 'new' end,
  })
  equal(support.call(rt, 'extra').text, 'new')
  assert(rt:remove_tool 'extra')
  local _, err = support.call(rt, 'extra')
  equal(err.code, 'unknown_tool')
  local _, missing = rt:remove_tool 'extra'
  equal(missing.code, 'not_found')
end)

test('a tool that the scripts refuse is not added, and those before stay', function()
  local rt = with_tool(function() return 'first' end)
  local function add(name, permission)
    return rt:tool {
      name = name, description = 'Is second.', permission = permission, run = function() end,
    }
  end
  local added, err = add('bg_start', 'read')
  equal(added, nil)
  equal(err.code, 'failed')
  contains(err.message, 'bg_start')
  local _
  _, err = add('other', 'all')
  contains(err.message, 'permission')
  raises("the host has 'probe' already", add, 'probe', 'read')
  equal(support.call(rt, 'probe').text, 'first')
end)

test('a wrong definition raises an error that names the member', function()
  local rt = support.runtime()
  raises('tool: expected a table', rt.tool, rt)
  raises('tool.run: expected a function', rt.tool, rt,
    { name = 'x', description = 'x', permission = 'read' })
  raises('tool.runs: there is no such member', rt.tool, rt, { runs = function() end })
  raises('options.tools[1].run: expected a function', gibbous.new,
    { tools = { { name = 'x', description = 'x', permission = 'read' } } })
end)

support.run()
