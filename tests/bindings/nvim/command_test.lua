-- The command :Gibbous, the statusline, tools of the user, and wrong use.
-- luacheck: std luajit, globals vim
local support = dofile(debug.getinfo(1, 'S').source:match '^@(.*/)' .. 'support.lua')

local test, equal, contains = support.test, support.equal, support.contains

local function raises(part, fn, ...)
  local good, message = pcall(fn, ...)
  equal(good, false)
  contains(message, part)
end

local function complete(line)
  return vim.fn.getcompletion(line, 'cmdline')
end

test('nothing is loaded, and no runtime made, before the command is used', function()
  equal(vim.fn.exists ':Gibbous', 2)
  equal(package.loaded['gibbous_nvim.host'], nil)
  support.plugin()
  equal(require('gibbous_nvim').statusline(), '')
  equal(require('gibbous_nvim.host').existing(), nil)
end)

test('subcommands, runs and files are completed', function()
  local _, workspace = support.plugin()
  equal(complete 'Gibbous l', { 'list', 'logs' })
  local run = support.start 'sleep 600'
  equal(complete 'Gibbous logs ', { run.id })
  equal(complete('Gibbous kill ' .. run.id:sub(1, 2)), { run.id })
  support.write(workspace .. '/services.lua', '')
  equal(complete('Gibbous up ' .. workspace .. '/ser'), { workspace .. '/services.lua' })
  equal(complete 'Gibbous nothing x', {})
end)

test('wrong use says what there is', function()
  support.plugin()
  for line, part in pairs {
    strat = 'there is no subcommand "strat"; there are down, kill, list',
    start = 'expected :Gibbous start COMMAND', ['kill'] = 'expected :Gibbous kill ID',
    ['kill x'] = 'there is no run "x"; the runs are none', logs = 'there is no run yet',
    down = 'no services are up', ['restart web'] = 'no services are up',
  } do
    vim.cmd('Gibbous ' .. line)
    contains(support.notified[#support.notified], part)
  end
end)

test('kill ends a run with its tree, by id or by the beginning of one', function()
  support.plugin()
  local run = support.start 'sleep 600 & sleep 600'
  vim.cmd('Gibbous kill ' .. run.id:sub(1, 6))
  support.wait_for('the end', function() return run.ended end)
  equal(run.state, 'killed')
  support.wait_for_end(run.pid)
  vim.cmd('Gibbous kill ' .. run.id)
  contains(support.notified[#support.notified], 'has ended')
end)

test('list shows the runs, and its keys show and end them', function()
  support.plugin()
  local run = support.start 'echo listed; sleep 600'
  vim.cmd 'Gibbous list'
  local buffer = vim.api.nvim_get_current_buf()
  contains(support.lines(buffer)[1], run.id .. '  running')
  vim.cmd [[execute "normal \<CR>"]]
  support.wait_for_line(vim.api.nvim_get_current_buf(), 'listed')
  vim.cmd 'Gibbous list'
  vim.cmd 'normal x'
  support.wait_for_line(buffer, run.id .. '  killed')
end)

test('the statusline counts what goes on and what failed last', function()
  local plugin, workspace = support.plugin()
  support.start 'test -e good'
  support.wait_for('the failure', function() return plugin.statusline() == '1 failed' end)
  local server = support.start 'sleep 600'
  support.wait_for('both', function() return plugin.statusline() == '1 running 1 failed' end)
  support.write(workspace .. '/good', '')
  support.start 'test -e good'
  support.wait_for('the success', function() return plugin.statusline() == '1 running' end)
  plugin.kill(server.id)
  support.wait_for('nothing', function() return plugin.statusline() == '' end)
end)

test('a tool of the configuration uses the editor', function()
  local plugin, workspace = support.plugin {
    tools = { {
      name = 'open_buffer', description = 'Shows a file in the editor.', permission = 'read',
      input = {
        type = 'object', properties = { path = { type = 'string' } }, required = { 'path' },
      },
      run = function(args)
        vim.cmd('edit ' .. vim.fn.fnameescape(args.path))
        return { text = 'Shown.', data = { lines = vim.api.nvim_buf_line_count(0) } }
      end,
    } },
  }
  support.write(workspace .. '/shown.txt', 'one\ntwo')
  local result
  plugin.runtime():call('open_buffer', { path = workspace .. '/shown.txt' }, nil,
    function(given) result = given end)
  support.wait_for('the result', function() return result end)
  equal(result.text, 'Shown.')
  equal(result.data.lines, 2)
  equal(vim.fn.expand '%:t', 'shown.txt')
end)

test('a tool that raises notifies the user, and the editor goes on', function()
  local plugin = support.plugin {
    tools = { {
      name = 'bad', description = 'Fails.', permission = 'read', run = function() error 'oh' end,
    } },
  }
  local err
  plugin.runtime():call('bad', {}, nil, function(_, given) err = given end)
  support.wait_for('the error', function() return err end)
  equal(err.code, 'host_error')
  support.wait_for('the note', function()
    return (support.notified[#support.notified] or ''):find('oh', 1, true)
  end)
  assert(support.start 'true')
end)

test('a broken library path is a sentence, and the next try works', function()
  local plugin = support.plugin { runtime = { library = '/no/such/library.so' } }
  vim.cmd 'Gibbous start true'
  contains(support.notified[#support.notified], '/no/such/library.so')
  equal(plugin.runtime(), nil)
  support.plugin()
  assert(support.start 'true')
end)

test('setup names the option that is wrong', function()
  local setup = require('gibbous_nvim').setup
  raises('there is no option "tool"', setup, { tool = {} })
  raises('log: expected a table', setup, { log = 7 })
  raises('log.lines: there is no such option', setup, { log = { lines = 7 } })
  raises('log.max_lines: expected a whole number from 100', setup, { log = { max_lines = 1 } })
  raises('up.file: expected a string', setup, { up = { file = {} } })
  raises('options: expected a table', setup, 'auto')
end)

test('a runtime closed in the middle leaves the editor working', function()
  local plugin = support.plugin()
  local run = support.start 'yes'
  plugin.logs(run.id)
  require('gibbous_nvim.host').leave()
  support.wait_for_end(run.pid)
  assert(support.start 'true')
end)

support.run()
