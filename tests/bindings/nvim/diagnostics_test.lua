-- What watchers report, in buffers and in the quickfix list.
-- luacheck: std luajit, globals vim
local support = dofile(debug.getinfo(1, 'S').source:match '^@(.*/)' .. 'support.lua')

local test, equal = support.test, support.equal

local function diagnostics_of(buffer)
  return vim.tbl_map(function(each)
    return ('%d:%d %s'):format(each.lnum + 1, each.col + 1, each.message)
  end, vim.diagnostic.get(buffer))
end

local function quickfix()
  return vim.tbl_map(function(each)
    return ('%d:%d %s'):format(each.lnum, each.col, each.text)
  end, vim.fn.getqflist())
end

-- Writes a source, opens it, and returns its buffer.
local function open_source(workspace, name)
  support.write(workspace .. '/' .. name, 'int main(void) {\n  return x;\n}\n')
  vim.cmd('edit ' .. workspace .. '/' .. name)
  return vim.api.nvim_get_current_buf()
end

test('an error of a compiler is a diagnostic of its buffer and an entry of the list', function()
  local _, workspace = support.plugin()
  local buffer = open_source(workspace, 'main.c')
  support.start [[echo "main.c:2:10: error: 'x' undeclared"]]
  support.wait_for('the diagnostic', function() return #diagnostics_of(buffer) > 0 end)
  equal(diagnostics_of(buffer), { "2:10 'x' undeclared" })
  support.wait_for('the list', function() return #quickfix() > 0 end)
  equal(quickfix(), { "2:10 'x' undeclared" })
  equal(vim.fn.getqflist({ title = 1 }).title, 'Gibbous')
  equal(vim.diagnostic.get(buffer)[1].severity, vim.diagnostic.severity.ERROR)
end)

test('a file that is opened later has its diagnostics', function()
  local _, workspace = support.plugin()
  support.start [[echo 'late.c:2: error: bad']]
  support.wait_for('the list', function() return #quickfix() > 0 end)
  local buffer = open_source(workspace, 'late.c')
  support.wait_for('the diagnostic', function() return #diagnostics_of(buffer) > 0 end)
  equal(diagnostics_of(buffer), { '2:1 bad' })
end)

test('the same command, run again, replaces what it reported', function()
  local _, workspace = support.plugin()
  local buffer = open_source(workspace, 'again.c')
  support.write(workspace .. '/log', 'again.c:1: error: one\nagain.c:2: error: two\n')
  local first = support.start 'cat log'
  support.wait_for('two diagnostics', function() return #diagnostics_of(buffer) == 2 end)
  support.wait_for('the end', function() return first.ended end)
  support.write(workspace .. '/log', 'again.c:2: error: two\n')
  support.start 'cat log'
  support.wait_for('one diagnostic', function() return #diagnostics_of(buffer) == 1 end)
  support.wait_for('the list', function() return #quickfix() == 1 end)
  equal(quickfix(), { '2:1 two' })
end)

test('writing a file takes away what a program that goes on said about it', function()
  local _, workspace = support.plugin()
  local buffer = open_source(workspace, 'live.c')
  support.start [[echo 'live.c:1: error: one'; sleep 600]]
  support.wait_for('the diagnostic', function() return #diagnostics_of(buffer) == 1 end)
  vim.cmd 'silent write'
  support.wait_for('none', function() return #diagnostics_of(buffer) == 0 end)
end)

test('a watcher of the user, with named groups, counts as well', function()
  local _, workspace = support.plugin {
    watch = { {
      regex = [[^(?P<severity>\w+) in (?P<file>\S+) at (?P<line>\d+): (?P<message>.+)]],
      event = 'lint',
    } },
  }
  local buffer = open_source(workspace, 'own.c')
  support.start [[echo 'warning in own.c at 3: odd']]
  support.wait_for('the diagnostic', function() return #diagnostics_of(buffer) > 0 end)
  equal(diagnostics_of(buffer), { '3:1 odd' })
  equal(vim.diagnostic.get(buffer)[1].severity, vim.diagnostic.severity.WARN)
  support.wait_for('the list', function() return #quickfix() == 1 end)
end)

test('with diagnostics.quickfix off, the quickfix list of the user stays as it is', function()
  local _, workspace = support.plugin { diagnostics = { quickfix = false } }
  vim.fn.setqflist({ { text = 'mine' } })
  local buffer = open_source(workspace, 'quiet.c')
  support.start [[echo 'quiet.c:1: error: one']]
  support.wait_for('the diagnostic', function() return #diagnostics_of(buffer) > 0 end)
  equal(quickfix(), { '0:0 mine' })
end)

support.run()
