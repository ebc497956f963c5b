-- What the tests of the Lua module share. A test file is a program: it defines tests, each a
-- sentence, and ends with support.run(). Its argument is the prefix of an installation.
-- luacheck: std luajit
local ffi = require 'ffi'

local gibbous = require 'gibbous'

local M = {}

local LIMIT_S = 60 -- of one wait; a loaded machine needs a small part of it
local FOLDERS = { 'lib', 'lib/x86_64-linux-gnu', 'lib/aarch64-linux-gnu', 'lib64' }

ffi.cdef 'int gib_test_kill(int pid, int signal) __asm__("kill");'

local prefix = assert(arg[1], 'expected the prefix of an installation as the argument')

local function find_library()
  for _, folder in ipairs(FOLDERS) do
    local path = ('%s/%s/libgibbous.so.0'):format(prefix, folder)
    local file = io.open(path, 'rb')
    if file then
      file:close()
      return path
    end
  end
  error('there is no libgibbous.so.0 below ' .. prefix)
end

M.library = find_library()

local tests, folders, runtimes = {}, {}, {}

--- Returns what a command prints, without the last newline.
function M.shell(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read '*a'
  pipe:close()
  return (text:gsub('\n$', ''))
end

--- Returns a new directory, which goes with the test.
function M.folder()
  local path = M.shell 'mktemp -d'
  folders[#folders + 1] = path
  return path
end

function M.write(path, text)
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
end

--- Makes a runtime with directories of its own, which is destroyed with the test.
function M.runtime(options)
  local all = {
    library = M.library, mode = 'auto', workspace = M.folder(), state_dir = M.folder(),
  }
  for name, value in pairs(options or {}) do
    all[name] = value
  end
  local rt = assert(gibbous.new(all))
  runtimes[#runtimes + 1] = rt
  return rt
end

--- Turns a runtime until the condition holds.
function M.wait_for(rt, what, condition)
  local limit = os.time() + LIMIT_S
  while not condition() do
    assert(os.time() < limit, 'it took too long: ' .. what)
    assert(rt:wait(100))
  end
end

--- Runs a function as a coroutine, turning the runtime until it has ended.
function M.inside(rt, fn)
  local is_over, problem
  local work = coroutine.create(function()
    local good, trace = xpcall(fn, debug.traceback)
    is_over, problem = true, not good and trace
  end)
  assert(coroutine.resume(work))
  M.wait_for(rt, 'a coroutine', function() return is_over end)
  assert(not problem, problem)
end

--- Calls a tool and waits for its result.
function M.call(rt, name, arguments, options)
  local result, err
  assert(rt:call(name, arguments, options, function(...)
    result, err = ...
    result = result or false
  end))
  M.wait_for(rt, name, function() return result ~= nil end)
  return result or nil, err
end

function M.is_alive(pid)
  return ffi.C.gib_test_kill(pid, 0) == 0
end

--- Waits, without a runtime, until a process has ended.
function M.wait_for_end(pid)
  local limit = os.time() + LIMIT_S
  while M.is_alive(pid) do
    assert(os.time() < limit, ('process %d goes on'):format(pid))
    M.shell(('timeout 1 tail --pid=%d -f /dev/null'):format(pid))
  end
end

function M.equal(got, expected)
  if got ~= expected then
    error(('expected %s, got %s'):format(tostring(expected), tostring(got)), 2)
  end
end

function M.contains(text, part)
  if not tostring(text):find(part, 1, true) then
    error(('expected a text with "%s", got "%s"'):format(part, tostring(text)), 2)
  end
end

--- Calls a function that must raise an error with this text.
function M.raises(part, fn, ...)
  local good, message = pcall(fn, ...)
  assert(not good, 'expected an error')
  M.contains(message, part)
end

function M.test(sentence, fn)
  tests[#tests + 1] = { sentence = sentence, fn = fn }
end

local function clean_up()
  for _, rt in ipairs(runtimes) do
    rt:destroy()
  end
  for _, path in ipairs(folders) do
    M.shell(("rm -rf '%s'"):format(path))
  end
  runtimes, folders = {}, {}
end

--- Runs the tests, and ends the program with 0 when all are good.
function M.run()
  local bad = 0
  for _, test in ipairs(tests) do
    local good, trace = xpcall(test.fn, debug.traceback)
    clean_up()
    print(('%s %s'):format(good and 'ok  ' or 'FAIL', test.sentence))
    if not good then
      bad = bad + 1
      print(trace)
    end
  end
  print(('%d of %d failed'):format(bad, #tests))
  os.exit(bad == 0 and 0 or 1)
end

return M
