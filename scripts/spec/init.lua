-- The module `spec`, for the files that `gibbous test` runs: describe and it, assertions, a clock
-- that stands still, runs without processes, and answers of tools as a model reads them.
local assertion = require 'spec.expect'
local fakes = require 'spec.fake'

local MAX_TOOLS = 500 -- of one toolset
local MAX_SHOWN = 2000

-- _native, _file and _toolsets belong to the loader.
local M = { expect = assertion.expect, clock = {} }

local specs = {}
local group -- that is being described
local going -- the spec that runs: { last = the last answer, tasks = those of fakes }

-- The line of the spec file that calls a function of this module.
local function calling_line()
  local _, place = pcall(error, '', 4)
  return tonumber(tostring(place):match(':(%d+): $')) or 1
end

local function expect_function(name, fn)
  if type(fn) ~= 'function' then
    error(name .. ': expected a function, got ' .. assertion.show(fn), 3)
  end
end

---Groups specs. Groups may be nested.
---@param name string
---@param body fun()
function M.describe(name, body)
  expect_function('describe', body)
  local outer = group
  local whole = (outer and outer.name .. ' ' or '') .. name
  group = { name = whole, outer = outer, before = {}, after = {} }
  body()
  group = outer
end

---Runs before each spec of the group, the outermost group's first.
---@param fn fun()
function M.before_each(fn)
  expect_function('before_each', fn)
  table.insert(group.before, fn)
end

---Runs after each spec of the group, also when it failed, the innermost group's first.
---@param fn fun()
function M.after_each(fn)
  expect_function('after_each', fn)
  table.insert(group.after, fn)
end

---A spec: it passes when `body` returns.
---@param name string
---@param body fun()
function M.it(name, body)
  expect_function('it', body)
  local whole = (group and group.name .. ' ' or '') .. name
  table.insert(specs, {
    name = whole, body = body, group = group, file = M._file, line = calling_line(),
  })
end

---Calls a tool as an agent does, with the verdict of the policy.
---@param name string
---@param args? table<string, any>
---@return Answer
function M.call(name, args)
  local result, err = tool.call(name, args or {})
  local answer
  if result then
    local text = result.text or ''
    if text == '' and result.data then
      text = json.encode(result.data)
    end
    answer = { ok = true, text = text, data = result.data, content = result.content }
  else
    answer = { ok = false, text = err.message, code = err.code }
  end
  answer.bytes = #answer.text
  going.last = { tool = name, answer = answer }
  return answer
end

---Runs of this command, or of a longer line that begins with it, have no process from now on.
---@param command string
---@param options? { stubborn?: boolean } stubborn: only SIGKILL ends it, after the grace
---@param body? fun(fake: FakeRun) what it does once it is started, while the spec goes on
---@return FakeRun
function M.fake(command, options, body)
  if type(command) ~= 'string' or command == '' then
    error('fake: expected a command, got ' .. assertion.show(command), 2)
  end
  if type(options) == 'function' then
    options, body = nil, options
  end
  local fake = fakes.new(M._native, command, options ~= nil and options.stubborn == true)
  if body then
    table.insert(going.tasks, task.spawn(function()
      while not fake:is_started() do
        time.sleep(0)
      end
      body(fake)
    end))
  end
  return fake
end

---Answers the next question of a tool; several answers are used in turn.
---@param answer table|string|nil a form's fields, a model's text, a list of URIs; nil: no
function M.answer(answer)
  M._native.answer(answer)
end

---Makes time stand still for tools, waits and limits, until the spec ends.
function M.clock.stop()
  M._native.stop_clock()
end

---Moves time on; what is due then happens before this returns.
---@param ms number
function M.clock.advance(ms)
  M._native.advance(ms)
  fakes.settle(M._native)
end

---Lets everything happen that is due now, such as a start that was just answered.
function M.settle()
  fakes.settle(M._native)
end

---Returns the events that the next result would bring, oldest first: { event = 'run_ended', ... }.
---@return table<string, any>[]
function M.events()
  return M._native.events()
end

local function shown(text)
  if #text > MAX_SHOWN then
    text = text:sub(1, MAX_SHOWN) .. '...'
  end
  return '    ' .. text:gsub('\n', '\n    ')
end

-- What failed, with its place, and what the model had read by then.
local function report(spec, err)
  local text = tostring(err)
  if type(err) == 'table' and err.code then
    text = err.code .. ': ' .. tostring(err.message)
  end
  if not text:match('^[^\n]-:%d+: ') then
    text = ('%s:%d: %s'):format(spec.file, spec.line, text)
  end
  if going.last then
    local answer = going.last.answer
    local code = answer.ok and '' or ', error ' .. tostring(answer.code)
    text = ('%s\n  the model read (%s, %d bytes%s):\n%s'):format(
      text, going.last.tool, answer.bytes, code, shown(answer.text))
  end
  return text
end

local function each_group(spec, outermost_first, work)
  local chain = {}
  local each = spec.group
  while each do
    table.insert(chain, outermost_first and 1 or #chain + 1, each)
    each = each.outer
  end
  for _, one in ipairs(chain) do
    work(one)
  end
end

local function run_all(list)
  for _, fn in ipairs(list) do
    fn()
  end
end

local function run_spec(spec)
  M._native.reset()
  fakes.settle(M._native)
  going = { tasks = {} }
  local good, err = pcall(function()
    each_group(spec, true, function(one) run_all(one.before) end)
    spec.body()
  end)
  local ended, why = pcall(each_group, spec, false, function(one) run_all(one.after) end)
  for _, each in ipairs(going.tasks) do
    each:cancel()
  end
  if good and ended then
    return 'passed'
  end
  error(report(spec, good and why or err), 0)
end

-- Each spec is a tool, so that a call runs it: with its own session, budget and time limit.
function M._toolsets()
  local made = {}
  for index, spec in ipairs(specs) do
    local number = math.ceil(index / MAX_TOOLS)
    made[number] = made[number] or { name = 'specs_' .. number, tools = {} }
    table.insert(made[number].tools, tool {
      name = ('spec_%05d'):format(index),
      title = spec.file .. ':' .. spec.line,
      description = spec.name,
      permission = 'read',
      run = function() return run_spec(spec) end,
    })
  end
  return made
end

return M
