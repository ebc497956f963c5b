-- What scripts offer besides tools: resources, prompts, and questions to the client.
-- luacheck: std luajit
local support = require 'support'

local test, equal, contains = support.test, support.equal, support.contains

local NOTES = arg[0]:match '^(.*)/tests/' .. '/examples/notes'

-- A runtime with the tools of the example, and a note for Monday.
local function noted(reports)
  local rt = support.runtime {
    scripts_dir = NOTES, toolsets = { 'notes' },
    on_error = reports and function(where, trace) reports[#reports + 1] = where .. trace end,
  }
  assert(support.call(rt, 'note_write', { day = 'monday', text = 'one' }))
  return rt
end

local function replace(rt)
  return support.call(rt, 'note_write', { day = 'monday', text = 'two' })
end

-- Returns what `start` gives its function.
local function gotten(rt, start)
  local got
  assert(start(function(...) got = { ... } end))
  support.wait_for(rt, 'the answer', function() return got end)
  return got[1], got[2]
end

local function read(rt, uri)
  return gotten(rt, function(fn) return rt:read_resource(uri, nil, fn) end)
end

test('resources and prompts are listed and read', function()
  local rt = noted()
  equal(rt:resources().templates[1].uriTemplate, 'notes://{day}')
  equal(rt:prompts()[1].name, 'plan')
  equal(read(rt, 'notes://monday')[1].text, 'one')
  local prompt = gotten(rt, function(fn)
    return rt:get_prompt('plan', { day = 'monday' }, nil, fn)
  end)
  equal(#prompt.messages, 2)
end)

test('a coroutine waits for a resource', function()
  local rt = noted()
  local text
  coroutine.wrap(function() text = rt:read_resource('notes://monday')[1].text end)()
  support.wait_for(rt, 'the resource', function() return text end)
  equal(text, 'one')
end)

test('a resource that is not there is an error with its code', function()
  local rt = noted()
  local contents, err = read(rt, 'notes://friday')
  equal(contents, nil)
  equal(err.code, 'resource_not_found')
end)

test('a wrong argument is an error that names it', function()
  local rt = noted()
  local good, said = pcall(rt.read_resource, rt, 7, nil, print)
  equal(good, false)
  contains(said, 'uri: expected a string, got number')
end)

test('what a script asks is answered', function()
  local rt = noted()
  local asked
  rt:on_input(function(input, answer)
    asked = input
    assert(answer { action = 'accept', content = { choice = 'replace' } })
  end)
  assert(replace(rt))
  equal(read(rt, 'notes://monday')[1].text, 'two')
  equal(asked.kind, 'elicitation')
  contains(asked.params.message, 'monday')
end)

test('without an answer the script goes on with an error', function()
  local reports = {}
  local rt = noted(reports)
  equal(replace(rt), nil)
  rt:on_input(function(_, answer) answer(nil) end)
  equal(replace(rt), nil)
  rt:on_input(function() error 'out of order' end)
  equal(replace(rt), nil)
  equal(#reports, 1)
  contains(reports[1], 'out of order')
  equal(read(rt, 'notes://monday')[1].text, 'one')
end)

test('what a script asks is withdrawn with its call', function()
  local rt = noted()
  local asked, withdrawn, late
  rt:on_input(function(input, answer) asked, late = input, answer end,
    function(input) withdrawn = input end)
  local call = rt:call('note_write', { day = 'monday', text = 'two' })
  support.wait_for(rt, 'the question', function() return asked end)
  assert(rt:cancel(call))
  support.wait_for(rt, 'the end', function() return withdrawn end)
  equal(withdrawn, asked)
  local done, err = late { action = 'decline' }
  equal(done, nil)
  equal(err.code, 'not_found')
end)

support.run()
