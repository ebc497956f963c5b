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

  it('listens where its spec says, with and without a run in the condition', function()
    spec.fake('make serve', function(fake) fake:listen(8080) end)
    local started = spec.call('bg_start', {
      command = 'make serve PORT=8080', ['until'] = { port = 8080 },
    })
    expect(started.text):to_contain('port 8080 listens')
    local any = task.spawn(spec.call, 'wait_for', { port = 3000 })
    spec.fake('other', function(fake) fake:listen(3000) end)
    run.start { command = 'other' }
    expect(any:await()):to_succeed()
  end)

  it('answers HTTP with its status, and only while it goes on', function()
    spec.clock.stop()
    local server = spec.fake('server')
    local handle = run.start { command = 'server' }
    spec.settle()
    server:listen(3000, 503)
    local function ready()
      return handle:wait { any = { wait.http('http://localhost:3000/') }, timeout_ms = 1000 }
    end
    local waiting = task.spawn(ready)
    spec.settle()
    spec.clock.advance(1000)
    expect(waiting:await().reason):to_equal('timeout')
    server:listen(3000)
    expect(ready().fired[1].status):to_equal(200)
    server:exit(1)
    expect(ready().reason):to_equal('impossible')
  end)

  it('listens on no port of this machine', function()
    spec.clock.stop()
    spec.fake('server')
    local handle = run.start { command = 'server' }
    spec.settle()
    local waiting = task.spawn(function()
      return handle:wait { any = { wait.port(3000) }, timeout_ms = 1000 }
    end)
    spec.settle()
    spec.clock.advance(1000)
    expect(waiting:await().reason):to_equal('timeout')
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
