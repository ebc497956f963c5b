-- The life of a runtime: finding the library, closing, destroying, being forgotten.
-- luacheck: std luajit
local gibbous = require 'gibbous'
local support = require 'support'

local test, equal, contains, raises = support.test, support.equal, support.contains, support.raises

-- Starts a run that would never end, and returns its pid.
local function start_endless(rt)
  local pid
  local stop = rt:on_event(function(event)
    pid = event.event == 'run_started' and event.pid or pid
  end)
  assert(rt:call('bg_start', { command = 'exec sleep 600' }))
  support.wait_for(rt, 'the run', function() return pid end)
  stop()
  return pid
end

test('closing ends runs and calls, and says when nothing is left', function()
  local rt = support.runtime()
  local pid = start_endless(rt)
  local err, is_closed
  rt:call('wait_for', { timer_ms = 600000 }, nil, function(_, given) err = given end)
  assert(rt:close(function() is_closed = true end))
  while rt:wait(1000) do end
  equal(is_closed, true)
  assert(err.code == 'shutdown' or err.code == 'cancelled', err.code)
  support.wait_for_end(pid)
end)

test('on_closed comes for a second close, too, and after the end at once', function()
  local rt = support.runtime()
  local count = 0
  local function on_closed() count = count + 1 end
  assert(rt:close(on_closed))
  local again, err = rt:close(on_closed)
  equal(again, nil)
  equal(err.code, 'closed')
  while rt:wait(1000) do end
  equal(count, 2)
  rt:close(on_closed)
  equal(count, 3)
end)

test('destroying ends what runs, and settles the calls that are open', function()
  local rt = support.runtime()
  local pid = start_endless(rt)
  local err, is_closed
  rt:call('wait_for', { timer_ms = 600000 }, nil, function(_, given) err = given end)
  local work = coroutine.wrap(function()
    local _, given = rt:await('wait_for', { timer_ms = 600000 })
    return given
  end)
  work()
  rt:close(function() is_closed = true end)
  assert(rt:destroy())
  assert(err.code ~= '')
  equal(is_closed, true)
  support.wait_for_end(pid)
end)

test('every method of a destroyed runtime returns nil and the error closed', function()
  local rt = support.runtime()
  assert(rt:destroy())
  local calls = {
    call = { 'bg_status' }, cancel = { 1 }, poll = {}, wait = { 10 }, tools = { 'mcp' },
    runs = { nil, function() end }, backlog = { nil, function() end }, read = { 'x', 'stdout' },
    reload = {}, info = {}, close = {}, hand_over = {}, destroy = {}, remove_tool = { 'x' },
    tool = { { name = 'x', description = 'x', permission = 'read', run = function() end } },
  }
  for name, arguments in pairs(calls) do
    local value, err = rt[name](rt, unpack(arguments, 1, 2))
    equal(value, nil)
    equal(('%s: %s'):format(name, err.code), name .. ': closed')
    assert(err.message ~= '')
  end
  equal(rt:fd(), nil)
  equal(rt:next_timeout(), nil)
end)

test('a runtime is destroyed in a function that it calls', function()
  local rt = support.runtime()
  local is_called
  rt:call('bg_status', {}, nil, function()
    is_called = true
    rt:destroy()
  end)
  local limit = os.time() + 60
  while rt:wait(1000) do
    assert(os.time() < limit)
  end
  equal(is_called, true)
end)

test('a forgotten runtime ends what it had, also with open calls', function()
  local pid
  do
    local rt = assert(gibbous.new {
      library = support.library, mode = 'auto', workspace = support.folder(),
      state_dir = support.folder(),
    })
    pid = start_endless(rt)
    rt:call('wait_for', { timer_ms = 600000 }, nil, function() error('it must not come' .. pid) end)
    coroutine.wrap(function() rt:await('wait_for', { timer_ms = 600000 }) end)()
  end
  collectgarbage()
  collectgarbage()
  support.wait_for_end(pid)
end)

test('two runtimes do not know of each other', function()
  local one, two = support.runtime(), support.runtime()
  local heard = 0
  two:on_event(function() heard = heard + 1 end)
  local run = support.call(one, 'bg_start', { command = 'echo one' }).data.id
  local _, err = support.call(two, 'bg_output', { id = run })
  equal(err.code, 'run_not_found')
  equal(heard, 0)
  assert(one:destroy())
  assert(support.call(two, 'bg_status'))
end)

test('a function that raises does not break the queue', function()
  local reports = {}
  local rt = support.runtime {
    on_error = function(where, trace) reports[#reports + 1] = where .. ': ' .. trace end,
  }
  rt:on_event(function() error 'bad event' end)
  rt:call('bg_start', { command = 'true' }, nil, function() error 'bad result' end)
  assert(support.call(rt, 'wait_for', { timer_ms = 1 }))
  support.wait_for(rt, 'the reports', function() return #reports >= 2 end)
  local all = table.concat(reports, '\n')
  contains(all, 'on_done: ')
  contains(all, 'bad result')
  contains(all, 'on_event: ')
  contains(all, 'lifetime_test.lua')
end)

test('a broken reload keeps what was there', function()
  local scripts = support.folder()
  support.write(scripts .. '/init.lua', "return { toolsets = { require 'toolsets.bg' } }\n")
  local rt = support.runtime { scripts_dir = scripts, watch_files = false }
  support.write(scripts .. '/init.lua', 'return {\n  toolsets = 7,\n')
  local done, err = rt:reload()
  equal(done, nil)
  equal(err.code, 'failed')
  contains(err.message, 'init.lua:')
  assert(support.call(rt, 'bg_status'))
end)

test('what cannot be made is nil and a sentence', function()
  local function fails(code, part, options)
    options.library = options.library or support.library
    options.state_dir = support.folder()
    local rt, err = gibbous.new(options)
    equal(rt, nil)
    equal(err.code, code)
    contains(err.message, part)
  end
  fails('create_failed', 'no_such_mode', { mode = 'no_such_mode' })
  fails('create_failed', 'workspce', { workspce = 'x' })
  fails('create_failed', '/no/such/place', { toolsets = {}, workspace = '/no/such/place' })
  fails('library_not_found', '/no/such/library.so', { library = '/no/such/library.so' })
  fails('library_not_found', 'is not the library of Gibbous', { library = 'libm.so.6' })
  raises('options: expected a table', gibbous.new, 'auto')
  raises('options.library: expected a string', gibbous.new, { library = 7 })
  raises('options.functions: expected a table', gibbous.new, { functions = 7 })
  raises('options.mode: expected what JSON can hold', gibbous.new,
    { library = support.library, mode = print })
end)

test('the module finds the library of the installation that it lies in', function()
  local module = debug.getinfo(gibbous.new, 'S').source:match '^@(.*)/gibbous/init.lua$'
  for _, place in ipairs { 'share/lua/5.1', 'share/nvim/site/lua' } do
    local root = support.folder()
    support.shell(("cd '%s' && mkdir -p lib '%s' && cp -r '%s/gibbous' '%s/' && ln -s '%s' lib/")
      :format(root, place, support.shell(("realpath '%s'"):format(module)), place,
        support.library))
    local program = ([[LUA_PATH='%s/%s/?.lua;%s/%s/?/init.lua' luajit -e "%s"]]):format(
      root, place, root, place, "print(require('gibbous').version())")
    equal(support.shell(program), gibbous.version(support.library))
  end
end)

support.run()
