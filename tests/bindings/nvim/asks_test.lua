-- Questions of the policy, shown with vim.ui.select.
-- luacheck: std luajit, globals vim
local support = dofile(debug.getinfo(1, 'S').source:match '^@(.*/)' .. 'support.lua')

local test, equal, contains = support.test, support.equal, support.contains

local built_in = vim.ui.select

-- Returns the window of a question; nil when there is none.
local function question_window()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return window
    end
  end
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'mx', false)
end

-- Replaces vim.ui.select by one that remembers what it was asked. Returns the list.
local function watch_select()
  local shown = {}
  vim.ui.select = function(items, options, on_choice)
    table.insert(shown, {
      texts = vim.tbl_map(options.format_item, items), prompt = options.prompt,
      choose = function(index) on_choice(items[index], index) end,
    })
  end
  return shown
end

-- The mode `default` asks before it carries out a tool that executes.
local function asking_plugin()
  return support.plugin {
    runtime = { mode = 'default' },
    tools = { {
      name = 'launch', description = 'Is asked about.', permission = 'execute',
      run = function() return 'launched' end,
    } },
  }
end

-- Calls the tool, and returns a table that gets the outcome.
local function launch(plugin)
  local outcome = {}
  local rt = plugin.runtime()
  outcome.call = rt:call('launch', {}, nil, function(result, err)
    outcome.result, outcome.err, outcome.is_over = result, err, true
  end)
  outcome.rt = rt
  return outcome
end

local function await(outcome)
  support.wait_for('the result', function() return outcome.is_over end)
  return outcome
end

test('a question offers four answers, and the first one allows once', function()
  local shown = watch_select()
  local plugin = asking_plugin()
  local outcome = launch(plugin)
  support.wait_for('the question', function() return #shown == 1 end)
  equal(shown[1].texts,
    { 'Allow once', 'Allow for this session', 'Always allow', 'Deny' })
  contains(shown[1].prompt, 'launch')
  shown[1].choose(1)
  equal(await(outcome).result.text, 'launched')
  launch(plugin)
  support.wait_for('the same question again', function() return #shown == 2 end)
end)

test('an answer for the session counts for the next call', function()
  local shown = watch_select()
  local plugin = asking_plugin()
  local first = launch(plugin)
  support.wait_for('the question', function() return #shown == 1 end)
  shown[1].choose(2)
  await(first)
  equal(await(launch(plugin)).result.text, 'launched')
  equal(#shown, 1)
end)

test('always counts in the next runtime', function()
  local shown = watch_select()
  local plugin = asking_plugin()
  local first = launch(plugin)
  support.wait_for('the question', function() return #shown == 1 end)
  shown[1].choose(3)
  equal(await(first).result.text, 'launched')
  require('gibbous_nvim.host').leave()
  equal(await(launch(plugin)).result.text, 'launched')
  equal(#shown, 1)
end)

test('deny and a dismissed question deny', function()
  local shown = watch_select()
  local plugin = asking_plugin()
  for index, choice in ipairs { 4, 0 } do
    local outcome = launch(plugin)
    support.wait_for('the question', function() return #shown == index end)
    shown[index].choose(choice)
    equal(await(outcome).err.code, 'denied')
  end
end)

test('questions are shown one after the other', function()
  local shown = watch_select()
  local plugin = asking_plugin()
  local one, two = launch(plugin), launch(plugin)
  support.wait_for('the first question', function() return #shown == 1 end)
  shown[1].choose(1)
  await(one)
  support.wait_for('the second question', function() return #shown == 2 end)
  shown[2].choose(4)
  equal(await(two).err.code, 'denied')
end)

test('a question is withdrawn when its call ends, and a late choice does nothing', function()
  local shown = watch_select()
  local plugin = asking_plugin()
  local outcome = launch(plugin)
  support.wait_for('the question', function() return #shown == 1 end)
  assert(outcome.rt:cancel(outcome.call))
  equal(await(outcome).err.code, 'cancelled')
  local another = launch(plugin)
  support.wait_for('the next question', function() return #shown == 2 end)
  shown[1].choose(1)
  contains(support.notified[#support.notified], 'was withdrawn')
  equal(another.is_over, nil)
  shown[2].choose(4)
  await(another)
end)

test('a vim.ui.select that raises dismisses its question, and the next one is asked', function()
  local plugin = asking_plugin()
  vim.ui.select = function() error 'no picker' end
  equal(await(launch(plugin)).err.code, 'denied')
  support.wait_for('the report', function()
    return table.concat(support.notified, '\n'):find('no picker', 1, true)
  end)
  local shown = watch_select()
  local outcome = launch(plugin)
  support.wait_for('the next question', function() return #shown == 1 end)
  shown[1].choose(1)
  equal(await(outcome).result.text, 'launched')
end)

test('a question waits while the user types', function()
  local shown = watch_select()
  local plugin = asking_plugin()
  local mode = 'i'
  local get_mode = vim.api.nvim_get_mode
  vim.api.nvim_get_mode = function() return { mode = mode, blocking = false } end
  local outcome = launch(plugin)
  support.wait_for('the note', function()
    return (support.notified[#support.notified] or ''):find('has a question', 1, true)
  end)
  equal(#shown, 0)
  mode = 'n'
  vim.cmd 'doautocmd ModeChanged i:n'
  support.wait_for('the question', function() return #shown == 1 end)
  vim.api.nvim_get_mode = get_mode
  shown[1].choose(4)
  await(outcome)
end)

test('without a vim.ui.select of the user, a window asks, and Enter answers', function()
  vim.ui.select = built_in
  local plugin = asking_plugin()
  for keys, text in pairs { ['1<CR>'] = 'launched', ['4<CR>'] = 'denied', q = 'denied' } do
    local outcome = launch(plugin)
    support.wait_for('the window', question_window)
    press(keys)
    await(outcome)
    equal(outcome.result and outcome.result.text or outcome.err.code, text)
    equal(question_window(), nil)
  end
end)

test('the window goes when the call ends, or when it is closed by force', function()
  vim.ui.select = built_in
  local plugin = asking_plugin()
  local outcome = launch(plugin)
  support.wait_for('the window', question_window)
  press '1'
  equal(outcome.is_over, nil)
  assert(outcome.rt:cancel(outcome.call))
  support.wait_for('no window', function() return not question_window() end)
  equal(await(outcome).err.code, 'cancelled')
  outcome = launch(plugin)
  support.wait_for('the window', question_window)
  vim.cmd 'close!'
  equal(await(outcome).err.code, 'denied')
end)

support.run()
