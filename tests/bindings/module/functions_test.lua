-- Functions of the host: scripts call them, and get what they return.
local gibbous = require 'gibbous'
local support = require 'support'

local test, equal, contains, raises = support.test, support.equal, support.contains, support.raises

-- A script with a tool that calls the function `probe` and tells what came of it.
local SCRIPT = [[
return { toolsets = { require 'toolsets.bg', { name = 'probing', tools = { tool {
  name = 'ask_host', description = 'Asks the host.', permission = 'read',
  input = { type = 'object', properties = { text = { type = 'string' } } },
  run = function(args)
    if not host.probe then
      return 'no such function'
    end
    local value, err = host.probe { text = args.text }
    if err then
      return err.code .. ': ' .. err.message
    end
    return type(value) .. ' ' .. (type(value) == 'table' and value.items[2] or tostring(value))
  end,
} } } } }
]]

local function probe(run)
  return {
    name = 'probe', description = 'Is tested.', permission = 'read', run = run,
    input = { type = 'object', properties = { text = { type = 'string' } } },
  }
end

local function with_function(run)
  local reports = {}
  local rt = support.runtime {
    files = { ['scripts/init.lua'] = SCRIPT },
    functions = run and { probe(run) } or nil,
    on_error = function(where, trace) reports[#reports + 1] = where .. ': ' .. trace end,
  }
  return rt, reports
end

local function ask(rt, text)
  return assert(support.call(rt, 'ask_host', { text = text })).text
end

test('a script gets what a function returns: a text, a number, a table', function()
  local rt = with_function(function(args, ctx)
    equal(ctx.name, 'probe')
    equal(ctx.tool, nil)
    if args.text == 'table' then
      return { items = { 'one', 'two' } }
    end
    return args.text == 'number' and 7 or 'got ' .. args.text
  end)
  equal(ask(rt, 'hi'), 'string got hi')
  equal(ask(rt, 'number'), 'number 7')
  equal(ask(rt, 'table'), 'table two')
end)

test('a function answers later, and may call tools meanwhile', function()
  local rt
  rt = with_function(function(_, ctx)
    local answer = ctx:later()
    answer(assert(rt:await('bg_status', {})).text)
  end)
  contains(ask(rt, 'x'), 'string')
end)

test('a script gets the error of a function', function()
  local rt, reports = with_function(function(args)
    if args.text == 'raise' then
      error 'private detail'
    end
    return nil, { code = 'not_open', message = 'No such buffer.' }
  end)
  equal(ask(rt, 'x'), 'not_open: No such buffer.')
  equal(ask(rt, 'raise'), 'host_error: the function probe failed')
  contains(reports[1], 'private detail')
end)

test('functions are added and removed while the runtime runs, and no client sees them', function()
  local rt = with_function()
  equal(ask(rt, 'x'), 'no such function')
  assert(rt:add_function(probe(function() return 'there' end)))
  equal(ask(rt, 'x'), 'string there')
  for _, tool in ipairs(rt:tools 'mcp') do
    assert(not tool.name:find('probe', 1, true), tool.name)
  end
  assert(rt:remove_function 'probe')
  equal(ask(rt, 'x'), 'no such function')
  local removed, err = rt:remove_function 'probe'
  equal(removed, nil)
  equal(err.code, 'not_found')
end)

test('a wrong definition raises an error that names the member', function()
  local rt = support.runtime()
  raises('function.run: expected a function', rt.add_function, rt,
    { name = 'x', description = 'x', permission = 'read' })
  raises('options.functions[1].structured: there is no such member', gibbous.new,
    { functions = { { name = 'x', structured = true } } })
  raises('name: expected up to 50 letters', rt.add_function, rt,
    { name = '1st', description = 'x', permission = 'read', run = function() end })
end)

support.run()
