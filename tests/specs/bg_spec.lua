-- What a model reads of the toolset `bg`.
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect
local call = spec.call

describe('bg_start', function()
  it('answers at once with the id and the pid', function()
    local answer = call('bg_start', { command = 'sleep 60' })
    expect(answer):to_succeed()
    expect(answer.text):to_contain(answer.data.id)
    expect(answer.bytes):to_be_at_most(100)
  end)

  it('waits until a line comes, and says which', function()
    spec.clock.stop()
    local web = spec.fake('npm run dev', function(fake)
      spec.clock.advance(600)
      fake:print('Local: http://localhost:5173\n')
    end)
    local answer = call('bg_start', {
      command = 'npm run dev', label = 'web', ['until'] = { line = 'http://' },
    })
    expect(answer.text):to_match('ready after 600ms')
    expect(answer.text):to_contain('http://localhost:5173')
    expect(answer.data.id):to_equal(web:id())
  end)

  it('tells of a failure at once, with the lines that explain it', function()
    spec.fake('npm run dev', function(fake)
      for _ = 1, 500 do
        fake:print('preparing\n')
      end
      fake:print('Error: port 5173 is in use\n', 'stderr')
      fake:exit(1)
    end)
    local answer = call('bg_start', { command = 'npm run dev', ['until'] = { line = 'ready' } })
    expect(answer.text):to_match('exit')
    expect(answer.text):to_contain('port 5173 is in use')
    expect(answer.bytes):to_be_at_most(700)
  end)

  it('does nothing when the policy denies it', function()
    local answer = call('bg_start', { command = 'rm -rf /' })
    expect(answer):to_fail('denied')
    expect(answer.text):to_contain('machine.remove_root')
    expect(call('bg_status').text):to_equal('No background processes.')
  end)

  it('names the field of a wrong argument', function()
    expect(call('bg_start', { command = 5 })):to_fail('invalid_arguments')
    expect(call('bg_start', {}).text):to_contain('command')
  end)
end)

describe('bg_output', function()
  it('goes on from where the last answer ended', function()
    local log = spec.fake('tail-log')
    local id = call('bg_start', { command = 'tail-log' }).data.id
    spec.settle()
    log:print('one\n')
    expect(call('bg_output', { id = id }).text):to_contain('one')
    log:print('two\n')
    local answer = call('bg_output', { id = id })
    expect(answer.text):to_contain('two')
    expect(answer.text).never:to_contain('one')
  end)

  it('finds a line among many', function()
    local log = spec.fake('tail-log')
    local id = call('bg_start', { command = 'tail-log' }).data.id
    spec.settle()
    log:print(('noise\n'):rep(2000) .. 'needle\n' .. ('noise\n'):rep(2000))
    local answer = call('bg_output', { id = id, grep = 'needle' })
    expect(answer.text):to_contain('needle')
    expect(answer.bytes):to_be_at_most(400)
  end)
end)

describe('bg_input', function()
  it('types into the program', function()
    local repl = spec.fake('my-repl')
    local id = call('bg_start', { command = 'my-repl', stdin = true }).data.id
    spec.settle()
    expect(call('bg_input', { id = id, keys = 'hello<CR>' })):to_succeed()
    expect(repl:typed()):to_equal('hello\n')
  end)
end)

describe('bg_kill', function()
  it('needs SIGKILL for a program that ignores its stop signal', function()
    spec.clock.stop()
    spec.fake('stubborn', { stubborn = true })
    local id = call('bg_start', { command = 'stubborn' }).data.id
    spec.settle()
    local killing = task.spawn(call, 'bg_kill', { id = id })
    spec.settle()
    spec.clock.advance(5000)
    expect(killing:await()):to_succeed()
    expect(run.get(id):info().state):to_equal('killed')
    expect(run.get(id):info().reason):to_contain('SIGKILL')
  end)

  it('ends a real tree', function()
    local id = call('bg_start', { command = 'sleep 60 & sleep 61' }).data.id
    local answer = call('bg_kill', { id = id })
    expect(answer.text):to_match('^Process ' .. id .. ' killed')
  end)
end)
