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
end)
