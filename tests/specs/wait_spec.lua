-- What a model reads of the toolset `wait`.
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect
local call = spec.call

describe('wait_for', function()
  local server

  spec.before_each(function()
    server = spec.fake('my-server')
    call('bg_start', { command = 'my-server', label = 'server' })
    spec.settle()
  end)

  it('ends with the line that came before it', function()
    server:print('listening\n')
    local answer = call('wait_for', { id = 'server', output_regex = 'listen' })
    expect(answer):to_succeed()
    expect(answer.text):to_contain('listening')
  end)

  it('does not answer again with a line that was told, but with the next one', function()
    server:print('Found 0 errors. (1)\n')
    expect(call('wait_for', { id = 'server', output_regex = 'Found' }).text):to_contain('(1)')
    local waiting = task.spawn(call, 'wait_for', { id = 'server', output_regex = 'Found' })
    spec.settle()
    server:print('Found 0 errors. (2)\n')
    expect(waiting:await().text):to_contain('(2)')
  end)

  it('answers with the newest of the lines that are new, and its age', function()
    spec.clock.stop()
    server:print('Found 0 errors. (1)\nFound 0 errors. (2)\n')
    spec.clock.advance(3000)
    local answer = call('wait_for', { id = 'server', output_regex = 'Found' })
    expect(answer.text):to_contain('(2)')
    expect(answer.text):to_contain('3.0s ago')
    expect(answer.data.fired[1].age_ms):to_equal(3000)
  end)

  it('takes what was read for known, in either stream, and reads nothing itself', function()
    server:print('Found 0 errors. (1)\n')
    server:print('Found 0 warnings\n', 'stderr')
    call('bg_output', { id = 'server' })
    local late = call('wait_for', { id = 'server', output_regex = 'Found', timeout = 0 })
    expect(late):to_fail('timeout')
    expect(late.text):to_contain('since="start" counts older lines, too')
    server:print('Found 0 errors. (2)\n')
    expect(call('wait_for', { id = 'server', output_regex = 'Found' }).text):to_contain('(2)')
    expect(call('bg_output', { id = 'server' }).text):to_contain('(2)')
    local from_start = { id = 'server', output_regex = 'warnings', since = 'start' }
    expect(call('wait_for', from_start)):to_succeed()
  end)

  it('fails at once when the run ends, with its errors', function()
    local waiting = task.spawn(call, 'wait_for', { id = 'server', output_regex = 'listen' })
    spec.settle()
    server:print('FATAL: no database\n', 'stderr')
    server:exit(3)
    local answer = waiting:await()
    expect(answer.text):to_contain('FATAL: no database')
    expect(answer.bytes):to_be_at_most(800)
  end)

  it('gives up after its timeout, and no sooner', function()
    spec.clock.stop()
    local waiting = task.spawn(call, 'wait_for', {
      id = 'server', output_regex = 'x', timeout = 30000,
    })
    spec.settle()
    spec.clock.advance(29999)
    local before = time.monotonic_ms()
    spec.clock.advance(1)
    expect(waiting:await().text):to_match('30')
    expect(time.monotonic_ms() - before):to_equal(1)
  end)

  -- Gives up a wait for a line, and returns its handle.
  local function given_up(args)
    spec.clock.stop()
    args.timeout = args.timeout or 30000
    local waiting = task.spawn(call, 'wait_for', args)
    spec.settle()
    spec.clock.advance(args.timeout)
    local answer = waiting:await()
    expect(answer):to_fail('timeout')
    local handle = answer.text:match 'resume="(w%d+)"'
    expect(handle):to_match('w')
    return handle
  end

  it('goes on with a handle, and knows what happened in between', function()
    local handle = given_up { id = 'server', output_regex = 'listen' }
    server:print('listening\n')
    local answer = call('wait_for', { resume = handle })
    expect(answer):to_succeed()
    expect(answer.text):to_contain('listening')
    expect(call('wait_for', { resume = handle })):to_fail('unknown_wait')
  end)

  it('goes on from where it began, whatever was read since', function()
    server:print('listening (1)\n')
    call('bg_output', { id = 'server' })
    local handle = given_up { id = 'server', output_regex = 'listening' }
    server:print('listening (2)\n')
    call('bg_output', { id = 'server' })
    expect(call('wait_for', { resume = handle }).text):to_contain('(2)')
  end)

  it('goes on several times, and a timer counts what passed in between', function()
    local handle = given_up { id = 'server', output_regex = 'listen', timer_ms = 70000 }
    handle = given_up { resume = handle }
    spec.clock.advance(10000)
    local answer = call('wait_for', { resume = handle, timeout = 0 })
    expect(answer):to_succeed()
  end)

  it('takes no conditions beside a handle, and no handle that was not given', function()
    local handle = given_up { id = 'server', output_regex = 'listen' }
    local both = call('wait_for', { resume = handle, id = 'server' })
    expect(both):to_fail('invalid_arguments')
    expect(call('wait_for', { resume = 'w999' })):to_fail('unknown_wait')
    server:exit(0)
    expect(call('wait_for', { resume = handle })):to_fail('cannot_happen')
  end)

  it('keeps a bounded number of waits', function()
    local first = given_up { id = 'server', output_regex = 'x', timeout = 1 }
    for _ = 1, 32 do
      given_up { id = 'server', output_regex = 'x', timeout = 1 }
    end
    expect(call('wait_for', { resume = first })):to_fail('unknown_wait')
  end)

  it('numbers handles by the clock, so that a restarted server gives none out again', function()
    local handle = given_up { id = 'server', output_regex = 'x', timeout = 1 }
    local number = tonumber(handle:match '%d+')
    local by_clock = math.floor(time.now_ms() / 100) % 10000000
    expect(math.abs(number - by_clock) < 10000):to_equal(true)
  end)
end)
