-- :Gibbous up and what belongs to it.
-- luacheck: std luajit, globals vim
local support = dofile(debug.getinfo(1, 'S').source:match '^@(.*/)' .. 'support.lua')

local test, equal, contains = support.test, support.equal, support.contains

local SERVICES = [[
return {
  { name = 'web', command = 'echo serving; sleep 600', after = { 'db' },
    ready = { kind = 'regex', pattern = '^serving' } },
  { name = 'db', command = 'echo up; sleep 600' },
}
]]

local function up(workspace, name, text)
  support.write(workspace .. '/' .. name, text)
  local plugin = require 'gibbous_nvim'
  return assert(plugin.up())
end

local function run_of(label)
  for _, run in ipairs(require('gibbous_nvim.runs').newest()) do
    if run.label == label then
      return run
    end
  end
end

test('up starts the services of gibbous.lua in their order, and shows their output', function()
  local plugin, workspace = support.plugin()
  local buffer = up(workspace, 'gibbous.lua', SERVICES)
  support.wait_for_line(buffer, 'web | serving')
  support.wait_for_line(buffer, 'web | ready')
  support.wait_for_line(buffer, 'db | started, pid ')
  support.wait_for('the statusline', function()
    return plugin.statusline() == '2 running db+ web+'
  end)
  local again = plugin.up()
  equal(again, nil)
  contains(support.notified[#support.notified], 'up already')
end)

test('down ends the services, those first that others do not need', function()
  local plugin, workspace = support.plugin()
  local buffer = up(workspace, 'gibbous.lua', SERVICES)
  support.wait_for_line(buffer, 'web | ready')
  local pids = { run_of('web').pid, run_of('db').pid }
  assert(plugin.down())
  support.wait_for_line(buffer, 'all services have ended')
  local order = {}
  for _, line in ipairs(support.lines(buffer)) do
    order[#order + 1] = line:match '^(%w+) | stopped'
  end
  equal(order, { 'web', 'db' })
  for _, pid in ipairs(pids) do
    support.wait_for_end(pid)
  end
  equal(plugin.down(), nil)
end)

test('restart and kill work on one service', function()
  local plugin, workspace = support.plugin()
  local buffer = up(workspace, 'gibbous.lua', SERVICES)
  support.wait_for_line(buffer, 'web | ready')
  local before = run_of('web').pid
  vim.cmd 'Gibbous restart web'
  support.wait_for('a new run', function()
    local run = run_of 'web'
    return run.pid ~= before and not run.ended
  end)
  support.wait_for_end(before)
  local killed = run_of 'web'
  vim.cmd 'Gibbous kill web'
  support.wait_for('its end', function() return killed.ended end)
  equal(run_of('db').ended, nil)
  assert(plugin.down())
  support.wait_for_line(buffer, 'all services have ended')
end)

test('a Procfile is read when there is no gibbous.lua', function()
  local _, workspace = support.plugin()
  local buffer = up(workspace, 'Procfile', 'one: echo from one\ntwo: echo from two\n')
  support.wait_for_line(buffer, 'one | from one')
  support.wait_for_line(buffer, 'two | from two')
  support.wait_for_line(buffer, 'all services have ended, 0 failed')
end)

test('what is wrong with the file is said with its name', function()
  local plugin, workspace = support.plugin()
  equal(plugin.up(), nil)
  contains(support.notified[#support.notified], 'neither gibbous.lua nor Procfile')
  for text, part in pairs {
    ['return {'] = 'gibbous.lua:1', ['return 7'] = 'must return a list',
    ['while true do end'] = 'takes too long', ['os.exit(1)'] = 'os',
    ['return { { name = ("x"):rep(2) } }'] = 'gibbous.lua:1',
  } do
    support.write(workspace .. '/gibbous.lua', text)
    equal(plugin.up(), nil)
    contains(support.notified[#support.notified], part)
  end
  equal(('still'):upper(), 'STILL')
  support.write(workspace .. '/gibbous.lua', 'return { { name = "x", comand = "true" } }')
  assert(plugin.up())
  support.wait_for('the error', function()
    return support.notified[#support.notified]:find('comand', 1, true)
  end)
  support.wait_for('another try', function() return #require('gibbous_nvim.up').names() == 0 end)
end)

support.run()
