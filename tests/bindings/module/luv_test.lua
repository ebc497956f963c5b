-- A runtime in a luv loop.
-- luacheck: std luajit
local uv = require 'luv'

local gibbous = require 'gibbous'
local support = require 'support'

local test, equal, contains, raises = support.test, support.equal, support.contains, support.raises

-- Runs the loop, at most a minute.
local function run_loop()
  local guard, is_late = uv.new_timer(), false
  guard:start(60000, 0, function()
    is_late = true
    uv.stop()
  end)
  guard:unref()
  uv.run()
  guard:close()
  assert(not is_late, 'the loop did not end')
end

test('the loop turns the runtime until its calls have ended', function()
  local rt = support.runtime()
  gibbous.luv(rt, uv)
  local text
  rt:call('bg_start', { command = 'echo from the loop', ['until'] = { exit = true } }, nil,
    function(result) text = result.text end)
  run_loop()
  contains(text, 'from the loop')
end)

test('calls that are made in the loop keep it alive', function()
  local rt = support.runtime()
  gibbous.luv(rt, uv)
  local order = {}
  coroutine.wrap(function()
    for index = 1, 3 do
      assert(rt:await('wait_for', { timer_ms = 5 }))
      order[index] = index
    end
  end)()
  run_loop()
  equal(#order, 3)
end)

test('an attached runtime without calls does not keep the loop alive', function()
  gibbous.luv(support.runtime(), uv)
  run_loop()
end)

test('a flood leaves the loop its turns', function()
  local rt = support.runtime()
  gibbous.luv(rt, uv, { budget = { bytes = 16384, lua_us = 1000, wall_us = 2000 } })
  local ticks, is_started = 0, false
  rt:on_event(function(event) is_started = is_started or event.event == 'run_started' end)
  local flood = rt:call('bg_start', { command = 'yes', ['until'] = { line = 'never' } })
  local timer = uv.new_timer()
  timer:start(1, 1, function()
    ticks = ticks + (is_started and 1 or 0)
    if ticks == 100 then
      timer:close()
      rt:cancel(flood)
    end
  end)
  run_loop()
  equal(ticks, 100)
end)

test('a function that raises stops neither the loop nor the queue', function()
  local reports = 0
  local rt = support.runtime { on_error = function() reports = reports + 1 end }
  gibbous.luv(rt, uv)
  local is_over
  rt:call('bg_status', {}, nil, function()
    rt:call('bg_status', {}, nil, function() is_over = true end)
    error 'bad'
  end)
  run_loop()
  equal(reports, 1)
  equal(is_over, true)
end)

test('closing in the loop ends the runs, and lets the loop end', function()
  local rt = support.runtime()
  gibbous.luv(rt, uv)
  local pid, is_closed
  rt:on_event(function(event)
    if event.event == 'run_started' then
      pid = event.pid
      rt:close(function() is_closed = true end)
    end
  end)
  rt:call('bg_start', { command = 'exec sleep 600', ['until'] = { line = 'never' } })
  run_loop()
  equal(is_closed, true)
  support.wait_for_end(pid)
  local _, err = gibbous.luv(rt, uv)
  equal(err.code, 'closed')
end)

test('destroying in the loop lets the loop end', function()
  local rt = support.runtime()
  gibbous.luv(rt, uv)
  local err
  rt:call('wait_for', { timer_ms = 600000 }, nil, function(_, given) err = given end)
  rt:call('bg_status', {}, nil, function() rt:destroy() end)
  run_loop()
  assert(err.code ~= '')
end)

test('a detached runtime goes on with wait, and is attached again', function()
  local rt = support.runtime()
  local attachment = gibbous.luv(rt, uv)
  raises('it is attached to a loop already', gibbous.luv, rt, uv)
  attachment.detach()
  attachment.detach()
  assert(support.call(rt, 'bg_status'))
  gibbous.luv(rt, uv)
  local is_over
  rt:call('bg_status', {}, nil, function() is_over = true end)
  run_loop()
  equal(is_over, true)
end)

test('two runtimes share a loop', function()
  local one, two = support.runtime(), support.runtime()
  gibbous.luv(one, uv)
  gibbous.luv(two, uv)
  local count = 0
  for _, rt in ipairs { one, two } do
    rt:call('wait_for', { timer_ms = 5 }, nil, function() count = count + 1 end)
  end
  run_loop()
  equal(count, 2)
end)

test('turns are scheduled as the caller says', function()
  local rt = support.runtime()
  local turns, waiting = 0, {}
  gibbous.luv(rt, uv, { schedule = function(turn) waiting[#waiting + 1] = turn end })
  local check = uv.new_check()
  check:start(function()
    local now = waiting
    waiting = {}
    for _, turn in ipairs(now) do
      turns = turns + 1
      turn()
    end
  end)
  check:unref()
  local is_over
  rt:call('wait_for', { timer_ms = 5 }, nil, function() is_over = true end)
  run_loop()
  check:close()
  equal(is_over, true)
  assert(turns > 0)
end)

test('wrong options raise an error that names them', function()
  local rt = support.runtime()
  raises('options.budget.bytes: expected 0 or more', gibbous.luv, rt, uv,
    { budget = { bytes = -1 } })
  raises('options.schedul: there is no such member', gibbous.luv, rt, uv, { schedul = print })
  raises('rt: expected a table', gibbous.luv)
end)

support.run()
