-- What a model learns from watchers.
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect
local call = spec.call

describe('a watcher', function()
  it('tells of a line once, with the next result', function()
    local server = spec.fake('my-server')
    call('bg_start', { command = 'my-server', watch = { 'ERROR.*' } })
    spec.settle()
    server:print('fine\nERROR: no\n')
    spec.settle()
    local events = spec.events()
    expect(#events):to_equal(1)
    expect(json.encode(events)):to_contain('ERROR: no')
    expect(#spec.events()):to_equal(0)
  end)

  it('finds errors by a preset', function()
    local build = spec.fake('npm run build')
    call('bg_start', { command = 'npm run build', watch = { 'compile_error' } })
    spec.settle()
    build:print("src/app.ts(3,7): error TS2322: Type 'string' is no 'number'.\n")
    spec.settle()
    local events = spec.events()
    expect(#events):to_equal(1)
    expect(events[1].event):to_equal('compile_error')
    expect(events[1].line):to_contain('TS2322')
  end)

  it('tells of the end of a background run', function()
    local build = spec.fake('npm run build')
    local id = call('bg_start', { command = 'npm run build' }).data.id
    spec.settle()
    build:exit(2)
    local events = spec.events()
    expect(events[#events].run):to_equal(id)
    expect(events[#events].exit_code):to_equal(2)
  end)
end)
