-- No process outlives the editor.
-- luacheck: std luajit, globals vim
local support = dofile(debug.getinfo(1, 'S').source:match '^@(.*/)' .. 'support.lua')

local test, equal = support.test, support.equal

-- Starts a Neovim with a run that ignores SIGTERM, which then does `leave`. Returns the pid of the
-- run, the job, and a function that waits for the exit code.
local function editor_with_run(leave)
  local workspace, state = support.folder(), support.folder()
  local script = support.folder() .. '/script.lua'
  support.write(script, ([[
    local plugin = require 'gibbous_nvim'
    plugin.setup { runtime = { library = %q, workspace = %q, state_dir = %q, mode = 'auto' } }
    plugin.start('trap "" TERM; echo $$ > pid.new; mv pid.new pid; while :; do sleep 1; done')
    vim.wait(60000, function() return vim.loop.fs_stat(%q) ~= nil end, 10)
    %s
  ]]):format(support.library, workspace, state, workspace .. '/pid', leave))
  local code
  local job = vim.fn.jobstart({
    'nvim', '--headless', '-u', 'NONE', '-n', '-i', 'NONE', '--cmd',
    'set rtp+=' .. vim.o.runtimepath, '-c', 'luafile ' .. script,
  }, { on_exit = function(_, given) code = given end })
  support.wait_for('the run', function() return vim.loop.fs_stat(workspace .. '/pid') end)
  local pid = tonumber(vim.fn.readfile(workspace .. '/pid')[1])
  return pid, job, function()
    return support.wait_for('the end of the editor', function() return code end)
  end
end

test('leaving the editor ends its runs', function()
  local pid, _, exit_code = editor_with_run [[vim.cmd 'qall!']]
  equal(exit_code(), 0)
  support.wait_for_end(pid)
end)

test('an editor that is killed leaves no run behind', function()
  local pid, job, exit_code = editor_with_run [[vim.wait(600000, function() end)]]
  vim.loop.kill(vim.fn.jobpid(job), 'sigkill')
  exit_code()
  support.wait_for_end(pid)
end)

test('leaving in the middle of a flood ends the editor and its runs', function()
  local pid, _, exit_code = editor_with_run [[
    local flood
    plugin.start('yes', { on_done = function(id) flood = id end })
    vim.wait(60000, function() return flood and #plugin.runtime():read(flood, 'stdout') > 0 end, 10)
    vim.cmd 'qall!'
  ]]
  equal(exit_code(), 0)
  support.wait_for_end(pid)
end)

support.run()
