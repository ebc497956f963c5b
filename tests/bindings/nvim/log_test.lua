-- The log buffer of a run.
-- luacheck: std luajit, globals vim
local support = dofile(debug.getinfo(1, 'S').source:match '^@(.*/)' .. 'support.lua')

local test, equal, contains = support.test, support.equal, support.contains

test('start opens a log that follows the run to its end', function()
  support.plugin()
  local window = vim.api.nvim_get_current_win()
  vim.cmd [[Gibbous start echo first; echo problem >&2; read never_comes; echo last; exit 3]]
  local buffer = support.wait_for('the log', function()
    local found = vim.fn.bufnr 'gibbous://'
    return found ~= -1 and found
  end)
  local line = support.wait_for_line(buffer, '[gibbous: ')
  contains(line, 'failed: exit code 3')
  local lines = support.lines(buffer)
  equal(vim.tbl_contains(lines, 'first'), true)
  equal(vim.tbl_contains(lines, 'problem'), true)
  equal(lines[#lines], line)
  equal(vim.api.nvim_get_current_win(), window)
  equal(vim.bo[buffer].modifiable, false)
end)

test('output appears while the run goes on, also a line without an end', function()
  local plugin, workspace = support.plugin()
  local run = support.start(
    ([[printf 'name? '; until [ -e %s/go ]; do read -t 0.01 x; done; echo bob]]):format(workspace))
  local buffer = plugin.logs(run.id)
  support.wait_for_line(buffer, 'name? ')
  equal(run.ended, nil)
  support.write(workspace .. '/go', '')
  support.wait_for_line(buffer, 'name? bob')
end)

test('a window at the end follows, and one that was moved stays', function()
  local plugin, workspace = support.plugin()
  local run = support.start(
    ([[seq 100; until [ -e %s/go ]; do read -t 0.01 x; done; seq 101 200]]):format(workspace))
  local buffer = plugin.logs(run.id)
  support.wait_for_line(buffer, '100')
  local follower = vim.api.nvim_get_current_win()
  vim.cmd 'split'
  local reader = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_cursor(reader, { 5, 0 })
  support.write(workspace .. '/go', '')
  support.wait_for_line(buffer, '[gibbous: ')
  equal(vim.api.nvim_win_get_cursor(follower)[1], vim.api.nvim_buf_line_count(buffer))
  equal(vim.api.nvim_win_get_cursor(reader)[1], 5)
end)

test('a flood keeps the editor responsive, and the buffer bounded', function()
  local plugin = support.plugin { log = { max_lines = 500, interval_ms = 10 } }
  local run = support.start 'yes flooding'
  local buffer = plugin.logs(run.id)
  support.wait_for_line(buffer, 'flooding')
  -- How long a turn takes depends on the machine; that there are turns does not.
  local turns = 0
  support.wait_for('a hundred turns of the editor', function()
    turns = turns + 1
    assert(vim.api.nvim_buf_line_count(buffer) <= 502)
    return turns >= 100
  end)
  plugin.kill(run.id)
  support.wait_for('the end', function() return run.ended end)
  support.wait_for_line(buffer, '[gibbous: killed: ')
end)

test('a log that no window shows costs nothing, and catches up when it is shown', function()
  local plugin, workspace = support.plugin()
  local run = support.start(
    ([[echo one; until [ -e %s/go ]; do read -t 0.01 x; done; echo two]]):format(workspace))
  local buffer = plugin.logs(run.id)
  support.wait_for_line(buffer, 'one')
  vim.cmd 'close'
  support.write(workspace .. '/go', '')
  support.wait_for('the end', function() return run.ended end)
  equal(vim.tbl_contains(support.lines(buffer), 'two'), false)
  equal(plugin.logs(run.id), buffer)
  support.wait_for_line(buffer, 'two')
end)

test('a log buffer that was wiped is made anew', function()
  local plugin = support.plugin()
  local run = support.start 'echo here'
  local buffer = plugin.logs(run.id)
  support.wait_for_line(buffer, 'here')
  vim.cmd(('bwipeout! %d'):format(buffer))
  support.wait_for_line(plugin.logs(run.id), 'here')
end)

support.run()
