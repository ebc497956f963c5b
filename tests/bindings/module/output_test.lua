-- Output of runs: cursors, gaps, budgets under a flood.
-- luacheck: std luajit
local support = require 'support'

local test, equal, contains, raises = support.test, support.equal, support.contains, support.raises

local function start(rt, command)
  return assert(support.call(rt, 'bg_start', { command = command })).data.id
end

-- Reads a stream from its beginning to its end.
local function read_all(rt, run, stream)
  local cursor, parts = 0, {}
  support.wait_for(rt, 'the output', function()
    local bytes, after, ended
    repeat
      bytes, after, ended = rt:read(run, stream, cursor)
      parts[#parts + 1] = bytes
      cursor = after
    until #bytes == 0
    return ended
  end)
  return table.concat(parts), cursor
end

test('a run is read to its end, each stream by itself', function()
  local rt = support.runtime()
  local run = start(rt, 'echo one; echo two >&2; echo three')
  equal(read_all(rt, run, 'stdout'), 'one\nthree\n')
  equal(read_all(rt, run, 'stderr'), 'two\n')
end)

test('bytes are read as they are', function()
  local rt = support.runtime()
  local run = start(rt, [[printf 'a\000b\377c']])
  equal(read_all(rt, run, 'stdout'), 'a\0b\255c')
end)

test('reading consumes nothing, and takes at most what was asked for', function()
  local rt = support.runtime()
  local run = start(rt, 'echo 0123456789')
  read_all(rt, run, 'stdout')
  local bytes, after = rt:read(run, 'stdout', 2, 3)
  equal(bytes, '234')
  equal(after, 5)
  equal(rt:read(run, 'stdout', 2, 3), '234')
end)

test('the cursor jumps over bytes that are no longer kept', function()
  local rt = support.runtime()
  local run = start(rt, 'head -c 8388608 /dev/zero | tr "\\0" x')
  local is_over
  rt:on_event(function(event) is_over = is_over or event.event == 'run_ended' end)
  support.wait_for(rt, 'the end', function() return is_over end)
  local bytes, cursor = read_all(rt, run, 'stdout')
  equal(cursor, 8388608)
  assert(#bytes > 0 and #bytes < 8388608)
end)

test('a budget bounds what one turn takes in while a child floods', function()
  local rt = support.runtime()
  local run = start(rt, 'yes')
  local is_started
  rt:on_event(function(event) is_started = is_started or event.event == 'run_started' end)
  local turns, cursor = 0, 0
  local limit = os.time() + 60
  while turns < 50 do
    assert(os.time() < limit)
    rt:poll { bytes = 4096, lua_us = 500, wall_us = 1000, messages = 10 }
    local bytes, after = rt:read(run, 'stdout', cursor, 1048576)
    assert(#bytes <= 4096 + 65536, #bytes)
    turns = turns + (#bytes > 0 and 1 or 0)
    cursor = after
  end
  assert(support.call(rt, 'bg_kill', { id = run }))
end)

test('a run that nobody knows is an error', function()
  local rt = support.runtime()
  local bytes, err = rt:read('nosuchid', 'stdout')
  equal(bytes, nil)
  equal(err.code, 'not_found')
  contains(err.message, 'nosuchid')
end)

test('wrong use raises an error that names the argument', function()
  local rt = support.runtime()
  raises('run: expected a string', rt.read, rt, nil, 'stdout')
  raises("stream: expected 'stdout' or 'stderr', got 3", rt.read, rt, 'x', 3)
  raises('max: expected 1 to', rt.read, rt, 'x', 'stdout', 0, 0)
  raises('max: expected 1 to', rt.read, rt, 'x', 'stdout', 0, 2 ^ 40)
  raises('cursor: expected 0 or more', rt.read, rt, 'x', 'stdout', -1)
end)

support.run()
