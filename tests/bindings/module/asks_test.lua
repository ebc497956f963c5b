-- Questions of the policy: shown, answered, withdrawn.
local support = require 'support'

local test, equal, contains = support.test, support.equal, support.contains

-- The mode `default` asks before it carries out a tool that executes.
local function asking_runtime(reports)
  return support.runtime {
    mode = 'default',
    on_error = function(where, trace)
      reports[#reports + 1] = where .. ': ' .. trace
    end,
    tools = { {
      name = 'launch', description = 'Is asked about.', permission = 'execute',
      run = function() return 'launched' end,
    } },
  }
end

test('a question is answered at once', function()
  local rt = asking_runtime {}
  local asked
  rt:on_ask(function(ask, answer)
    asked = ask
    assert(answer { allow = true })
  end)
  equal(support.call(rt, 'launch').text, 'launched')
  equal(asked.tool, 'launch')
  equal(type(asked.reason), 'string')
end)

test('a question is answered later, once', function()
  local rt = asking_runtime {}
  local answer
  rt:on_ask(function(_, given) answer = given end)
  local result
  rt:call('launch', {}, nil, function(given) result = given end)
  support.wait_for(rt, 'the question', function() return answer end)
  assert(answer { allow = true })
  support.wait_for(rt, 'the result', function() return result end)
  local again, err = answer { allow = false }
  equal(again, nil)
  equal(err.code, 'not_found')
end)

test('an answer for the session counts for the next call', function()
  local rt = asking_runtime {}
  local count = 0
  rt:on_ask(function(_, answer)
    count = count + 1
    answer { allow = true, remember = 'session' }
  end)
  assert(support.call(rt, 'launch'))
  assert(support.call(rt, 'launch'))
  equal(count, 1)
end)

test('a refusal reaches the call with its reason', function()
  local rt = asking_runtime {}
  rt:on_ask(function(_, answer) answer { allow = false, reason = 'Not on a Friday.' } end)
  local _, err = support.call(rt, 'launch')
  equal(err.code, 'denied')
  contains(err.message, 'Not on a Friday.')
end)

test('a wrong answer raises an error, and leaves the question open', function()
  local rt = asking_runtime {}
  local problem
  rt:on_ask(function(_, answer)
    local _, message = pcall(answer, { alow = true })
    problem = message
    answer { allow = true }
  end)
  assert(support.call(rt, 'launch'))
  contains(problem, 'allow')
end)

test('without a function that asks, the call needs approval', function()
  local rt = asking_runtime {}
  local _, err = support.call(rt, 'launch')
  equal(err.code, 'needs_approval')
end)

test('an answer can say that nobody can be asked', function()
  local rt = asking_runtime {}
  rt:on_ask(function(_, answer) answer { no_approver = true } end)
  local _, err = support.call(rt, 'launch')
  equal(err.code, 'needs_approval')
end)

test('a function that raises denies, and its error is reported', function()
  local reports = {}
  local rt = asking_runtime(reports)
  rt:on_ask(function() error 'no window' end)
  local _, err = support.call(rt, 'launch')
  equal(err.code, 'denied')
  contains(reports[1], 'no window')
end)

test('a question is withdrawn when its call is cancelled', function()
  local rt = asking_runtime {}
  local asked, answer, withdrawn
  rt:on_ask(function(ask, given) asked, answer = ask, given end,
    function(ask) withdrawn = ask end)
  local call = rt:call 'launch'
  support.wait_for(rt, 'the question', function() return asked end)
  equal(asked.call, call)
  assert(rt:cancel(call))
  support.wait_for(rt, 'the end of the question', function() return withdrawn end)
  equal(withdrawn, asked)
  local _, err = answer { allow = true }
  equal(err.code, 'not_found')
end)

support.run()
