-- What a model reads of the toolset `lean`: every byte is for it.
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect
local call = spec.call

describe('run', function()
  it('answers a start in some 25 bytes', function()
    spec.fake('make')
    local answer = call('run', { command = 'make' })
    expect(answer.text):to_match('^%w+ started$')
    expect(answer.bytes):to_be_at_most(25)
  end)

  it('waits for a line', function()
    spec.clock.stop()
    spec.fake('npm run dev', function(fake)
      spec.clock.advance(600)
      fake:print('Local: http://localhost:5173\n')
    end)
    local answer = call('run', { command = 'npm run dev', ['until'] = 'Local' })
    expect(answer.text):to_contain('http://localhost:5173')
    expect(answer.bytes):to_be_at_most(110)
  end)

  it('leaves the run going when the wait limit comes first', function()
    spec.clock.stop()
    local web = spec.fake('npm run dev')
    local starting = task.spawn(call, 'run', {
      command = 'npm run dev', ['until'] = 'Local', timeout = 2000,
    })
    while not web:is_started() do
      time.sleep(0)
    end
    spec.settle()
    spec.clock.advance(2000)
    expect(starting:await().text):to_contain('not ready')
    expect(run.get(web:id()):info().state):to_equal('running')
  end)
end)

describe('job', function()
  it('lists, reads and stops', function()
    local build = spec.fake('make')
    call('run', { command = 'make', label = 'build' })
    spec.settle()
    build:print('cc main.c\n')
    expect(call('job', { action = 'list' }).text):to_contain('build')
    expect(call('job', { action = 'output', id = 'build' }).text):to_contain('cc main.c')
    expect(call('job', { action = 'stop', id = 'build' })):to_succeed()
    expect(run.get(build:id()):info().state):to_equal('killed')
  end)
end)
