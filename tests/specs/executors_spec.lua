-- Executors turn a run into the command that is started for it.
local bwrap = require 'executors.bwrap'
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect

-- What an executor is asked about a run.
local function asked(settings)
  return {
    run = 'Ab3xK9mZ', host = 'h', session = '', command = 'make all', cwd = '/work/shop',
    workspace = '/work/shop', shell = '/bin/sh', env = { A = '1' }, stdin = 'null', limits = {},
    ports = {}, settings = settings,
  }
end

describe('bwrap', function()
  it('runs a shell line in the workspace, with namespaces of its own', function()
    local made = bwrap.executor.prepare(asked { network = 'off' })
    local words = table.concat(made.argv, ' ')
    expect(words):to_contain('bwrap')
    expect(words):to_contain('make all')
    expect(words):to_contain('--unshare')
    expect(words):to_contain('/work/shop')
    expect(made.sandbox):to_equal('own')
  end)

  it('names the setting that is wrong', function()
    expect(function()
      bwrap.executor.prepare(asked { network = 'off', write = { 'relative' } })
    end):to_raise('write')
  end)
end)
