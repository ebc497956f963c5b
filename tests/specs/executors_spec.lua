-- Executors turn a run into the command that is started for it.
local bwrap = require 'executors.bwrap'
local command = require 'executors.command'
local environment = require 'executors.environment'
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect

-- What an executor is asked about a run.
local function asked(settings)
  return {
    run = 'Ab3xK9mZ', host = 'h', session = '', command = 'make all', cwd = '/home/ann/shop',
    workspace = '/home/ann/shop', shell = '/bin/sh', env = { A = '1' }, stdin = 'null', limits = {},
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
    expect(words):to_contain('/home/ann/shop')
    expect(made.sandbox):to_equal('own')
  end)

  it('names the setting that is wrong', function()
    expect(function()
      bwrap.executor.prepare(asked { network = 'off', write = { 'relative' } })
    end):to_raise('write')
  end)
end)

describe('the words of a command', function()
  local line = { command = 'make all' }

  it('keep bash from reading files and the environment, wherever bash is', function()
    expect(command.words(line, '/bin/sh')):to_equal { '/bin/sh', '-c', 'make all' }
    for _, bash in ipairs { 'bash', '/bin/bash', '/opt/x/bash' } do
      expect(command.words(line, bash)):to_equal { bash, '--norc', '-p', '-c', 'make all' }
    end
    expect(command.words({ argv = { 'make' } }, '/bin/bash')):to_equal { 'make' }
  end)

  it('look for bash where no shell is named', function()
    local words = command.words(line)
    expect(words[1]):to_equal('/bin/sh')
    expect(words[3]):to_contain('/bin/sh -c "$1"')
    expect(words[#words]):to_equal('make all')
  end)
end)

describe('the variables of a command', function()
  it('pass as they are when they are defaults, and hidden otherwise', function()
    local words, env, names = environment.inside({ 'ls' }, { PAGER = 'cat' })
    expect(words):to_equal { 'ls' }
    expect(env):to_equal { PAGER = 'cat' }
    expect(names):to_equal { 'PAGER' }
    words, env, names = environment.inside({ 'ls' }, { PAGER = 'less', GIT_PAGER = 'cat' })
    expect(words[5]):to_equal('PAGER')
    expect(env):to_equal { GIBBOUS_VARIABLE_PAGER = 'less', GIT_PAGER = 'cat' }
    expect(names):to_equal { 'GIBBOUS_VARIABLE_PAGER', 'GIT_PAGER' }
  end)
end)
