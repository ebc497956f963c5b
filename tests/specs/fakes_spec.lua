-- Runs without a process meet terminals, limits and signals as any run does.
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect

describe('a fake run', function()
  it('has a screen, and takes keys', function()
    local editor = spec.fake('my-editor')
    spec.call('bg_start', { command = 'my-editor', pty = true })
    spec.settle()
    editor:print('\27[2J\27[Hhello\r\n> ')
    expect(json.encode(run.get(editor:id()):screen())):to_contain('hello')
    expect(spec.call('bg_input', { id = editor:id(), keys = 'x<CR>' })):to_succeed()
    expect(editor:typed()):to_equal('x\r')
  end)

  it('is ended by a limit when its time has come', function()
    spec.clock.stop()
    spec.fake('quiet')
    local handle = run.start { command = 'quiet', limits = { idle_time_ms = 5000 } }
    spec.settle()
    spec.clock.advance(4999)
    expect(handle:info().state):to_equal('running')
    spec.clock.advance(1)
    expect(handle:info().state):to_equal('killed')
    expect(handle:info().reason):to_contain('no output for 5.0s')
  end)

  it('ends by a signal', function()
    spec.fake('server')
    local handle = run.start { command = 'server' }
    spec.settle()
    handle:signal('SIGTERM')
    spec.settle()
    expect(handle:info().reason):to_contain('SIGTERM')
  end)

  it('is started again as its service', function()
    spec.clock.stop()
    local server = spec.fake('server')
    local handle = run.start {
      command = 'server', restart = { max = 1, backoff_ms = 1000 }, detach = true,
    }
    spec.settle()
    local first = server:id()
    server:exit(1)
    spec.clock.advance(1000)
    expect(server:id()).never:to_equal(first)
    expect(run.get(handle:info().next):info().state):to_equal('running')
  end)
end)
