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

  it('tells the line that it waited for, so that job wait looks behind it', function()
    local tsc = spec.fake('tsc -w', function(fake)
      fake:print('Found 0 errors. (1)\n')
    end)
    call('run', { command = 'tsc -w', label = 'tsc', ['until'] = 'Found' })
    local args = { action = 'wait', id = 'tsc', ['until'] = 'Found' }
    local waiting = task.spawn(call, 'job', args)
    spec.settle()
    tsc:print('Found 2 errors. (2)\n')
    expect(waiting:await().text):to_contain('(2)')
    args.timeout = 0
    local late = call('job', args)
    expect(late.text):to_contain('not ready yet')
    expect(late.text):to_contain('"Found 2 errors. (2)"')
    args.since = 'start'
    expect(call('job', args).text):to_contain('ready after')
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

-- Starts a fake that prints numbered lines and ends.
local function numbered(command, count, code)
  spec.fake(command, function(fake)
    local lines = {}
    for number = 1, count do
      lines[number] = ('line %d of %d\n'):format(number, count)
    end
    fake:print(table.concat(lines))
    fake:exit(code or 0)
  end)
  return call('run', { command = command, ['until'] = 'exit' })
end

describe('output that is left out', function()
  it('is nothing of a small output', function()
    local answer = numbered('ls -la', 7)
    expect(answer.text):to_match('exit 0 after %S+\nline 1 of 7\n.*line 7 of 7$')
    expect(answer.text:find('between', 1, true)):to_equal(nil)
    expect(answer.data['until'].output):to_match('^line 1 of 7\n.*line 7 of 7\n$')
  end)

  it('is between the beginning and the end of a larger one, and the note names the call', function()
    local answer = numbered('git log --oneline', 400)
    expect(answer.text):to_contain('\nline 1 of 400\n')
    expect(answer.text):to_match('\nline 400 of 400$')
    local last, count, id, from, next_line = answer.text:match(
      'line (%d+) of 400\n%[(%d+) lines between: job action=output, id=(%w+), from=(%S+)%]\n'
      .. 'line (%d+) of 400\n')
    expect(tonumber(next_line) - tonumber(last) - 1):to_equal(tonumber(count))
    local rest = call('job', { action = 'output', id = id, from = from })
    expect(rest.text):to_match('^line ' .. (tonumber(last) + 1) .. ' of 400\n')
    expect(answer.data['until'].output:find('between', 1, true)):to_equal(nil)
  end)

  it('is counted with a failure, once', function()
    local answer = numbered('make', 400, 2)
    local shown, all = answer.text:match('%[(%d+) of (%d+) lines: job action=output, id=%w+, '
      .. 'from=merged:0%]')
    expect(all):to_equal('400')
    expect(tonumber(shown)):to_be_at_most(10)
    expect(answer.data['until'].output:find('lines:', 1, true)):to_equal(nil)
  end)

  it('is not told again by each output of a run that failed', function()
    local answer = numbered('make', 3, 2)
    expect(answer.text):to_contain('line 3 of 3')
    local id = answer.data.id
    expect(call('job', { action = 'output', id = id }).text):to_contain('line 3 of 3')
    expect(call('job', { action = 'output', id = id }).text):to_match('^%[exit code 2 after %S+%]$')
  end)

  it('is shown once by waits that go on', function()
    local shell = spec.fake('setup', function(fake)
      fake:print('step one\n')
    end)
    spec.clock.stop()
    local starting = task.spawn(call, 'run', {
      command = 'setup', ['until'] = 'exit', timeout = 2000,
    })
    while not shell:is_started() do
      time.sleep(0)
    end
    spec.settle()
    spec.clock.advance(2000)
    expect(starting:await().text):to_contain('step one')
    shell:print('step two\n')
    shell:exit(0)
    local answer = call('job', { action = 'wait', id = shell:id() })
    expect(answer.text):to_contain('step two')
    expect(answer.text:find('step one', 1, true)):to_equal(nil)
  end)
end)

describe('grep', function()
  it('says that no line matches', function()
    local id = numbered('make', 3).data.id
    local answer = call('job', { action = 'output', id = id, grep = 'NEEDLE' })
    expect(answer.text):to_match('^%[no line matches%]\n%[exit 0')
    expect(call('bg_output', { id = id, grep = 'NEEDLE' }).text):to_contain('[no line matches]')
  end)

  it('shows the match of a long line', function()
    spec.fake('minified', function(fake)
      fake:print(('a'):rep(4000) .. 'NEEDLE' .. ('b'):rep(4000) .. '\n')
      fake:exit(0)
    end)
    local id = call('run', { command = 'minified', ['until'] = 'exit' }).data.id
    local answer = call('job', { action = 'output', id = id, grep = 'NEEDLE' })
    expect(answer.text):to_match('aNEEDLEb')
    expect(answer.bytes):to_be_at_most(700)
  end)

  it('says that the end of a line was not searched', function()
    spec.fake('minified', function(fake)
      fake:print(('a'):rep(70000) .. 'NEEDLE\n')
      fake:exit(0)
    end)
    local id = call('run', { command = 'minified', ['until'] = 'exit' }).data.id
    local answer = call('job', { action = 'output', id = id, grep = 'NEEDLE' })
    expect(answer.text):to_contain(
      '[no line matches]\n[1 line longer than 64 KiB: the beginning was searched]')
  end)
end)
