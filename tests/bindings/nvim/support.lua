-- What the tests of the Neovim plugin share. A headless Neovim runs each test file (run.sh), which
-- defines tests, each a sentence, and ends with support.run().
-- luacheck: std luajit, globals vim
local M = {}

local LIMIT_MS = 60000 -- of one wait; a loaded machine needs a small part of it
local STEP_MS = 10
local FOLDERS = { 'lib', 'lib/x86_64-linux-gnu', 'lib/aarch64-linux-gnu', 'lib64' }

local function find_library()
  for _, folder in ipairs(FOLDERS) do
    local path = ('%s/%s/libgibbous.so.0'):format(vim.g.prefix, folder)
    if vim.loop.fs_stat(path) then
      return path
    end
  end
  error('there is no libgibbous.so.0 below ' .. tostring(vim.g.prefix))
end

M.library = find_library()

local tests, folders = {}, {}

--- Messages that were notified, newest last.
---@type string[]
M.notified = {}
vim.notify = function(message) table.insert(M.notified, message) end

function M.test(sentence, fn)
  tests[#tests + 1] = { sentence = sentence, fn = fn }
end

--- Returns a new directory, which goes with the test.
function M.folder()
  local path = vim.fn.tempname()
  vim.fn.mkdir(path, 'p')
  path = vim.loop.fs_realpath(path)
  table.insert(folders, path)
  return path
end

function M.write(path, text)
  vim.fn.writefile(vim.split(text, '\n'), path, 'b')
end

--- Turns the editor until the condition holds, and returns what it returned.
function M.wait_for(what, condition)
  local last
  local good = vim.wait(LIMIT_MS, function()
    last = condition()
    return last
  end, STEP_MS)
  if not good then
    error('it took too long: ' .. what .. '; notified: ' .. table.concat(M.notified, '; '), 2)
  end
  return last
end

function M.equal(got, expected)
  if not vim.deep_equal(got, expected) then
    error(('expected %s, got %s'):format(vim.inspect(expected), vim.inspect(got)), 2)
  end
end

function M.contains(text, part)
  if not tostring(text):find(part, 1, true) then
    error(('expected a text with "%s", got "%s"'):format(part, tostring(text)), 2)
  end
end

--- Sets the plugin up with directories of its own. Returns it and the workspace.
function M.plugin(options)
  local workspace = M.folder()
  options = vim.tbl_deep_extend('force', {
    runtime = {
      library = M.library, mode = 'auto', workspace = workspace, state_dir = M.folder(),
    },
  }, options or {})
  local plugin = require 'gibbous_nvim'
  plugin.setup(options)
  return plugin, workspace
end

--- Carries out `:Gibbous start` and returns the run once it has started.
function M.start(command)
  local runs = require 'gibbous_nvim.runs'
  local before = #runs.list()
  vim.cmd('Gibbous! start ' .. command)
  return M.wait_for('the run', function()
    local list = runs.list()
    return #list > before and list[#list]
  end)
end

function M.lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end

--- Waits until a buffer has a line that contains the text.
function M.wait_for_line(buffer, part)
  return M.wait_for(part, function()
    for _, line in ipairs(M.lines(buffer)) do
      if line:find(part, 1, true) then
        return line
      end
    end
  end)
end

function M.is_alive(pid)
  return vim.loop.kill(pid, 0) == 0
end

function M.wait_for_end(pid)
  M.wait_for(('the end of %d'):format(pid), function() return not M.is_alive(pid) end)
end

-- Gives the next test an editor as it was.
local function clean_up()
  require('gibbous_nvim.host').leave()
  pcall(vim.api.nvim_del_augroup_by_name, 'gibbous_diagnostics')
  vim.cmd 'silent! only! | silent! enew!'
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if buffer ~= vim.api.nvim_get_current_buf() then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end
  for name in pairs(package.loaded) do
    if vim.startswith(name, 'gibbous_nvim') then
      package.loaded[name] = nil
    end
  end
  for _, path in ipairs(folders) do
    vim.fn.delete(path, 'rf')
  end
  vim.fn.setqflist({}, 'f')
  folders, M.notified = {}, {}
end

--- Runs the tests, and ends the editor with 0 when all are good.
function M.run()
  vim.cmd 'runtime plugin/gibbous.lua'
  local bad = 0
  for _, test in ipairs(tests) do
    local good, trace = xpcall(test.fn, debug.traceback)
    clean_up()
    io.stdout:write(('%s %s\n'):format(good and 'ok  ' or 'FAIL', test.sentence))
    if not good then
      bad = bad + 1
      io.stdout:write(trace .. '\n')
    end
  end
  io.stdout:write(('%d of %d failed\n'):format(bad, #tests))
  vim.cmd(bad == 0 and 'qall!' or 'cquit 1')
end

return M
