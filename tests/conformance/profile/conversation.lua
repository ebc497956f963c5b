-- Tools and a prompt that ask the client: its person, its model, or itself.

local NAME = schema.object { name = schema.string {} }

-- Returns how the client answered, as a text.
local function outcome(answer, err)
  if answer then
    return 'action=accept, content=' .. json.encode(answer)
  end
  if err.code == 'cannot_ask' then
    tool.error(err.code, err.message)
  end
  return 'action=' .. (err.code == 'dismissed' and 'cancel' or 'decline') .. ', content={}'
end

local function fixture(name, description, run, input)
  return tool {
    name = name,
    description = description,
    permission = 'read',
    input = schema.object(input or {}),
    run = run,
  }
end

-- Raises the error of a question that was not answered.
local function answered(answer, err)
  if not answer then
    tool.error(err.code, err.message)
  end
  return answer
end

local function greet()
  local answer = answered(ask { key = 'user_name', message = 'What is your name?', form = NAME })
  return 'Hello, ' .. answer.name .. '!'
end

local function think(messages, max_tokens)
  local answer = answered(ask.model { messages = messages, max_tokens = max_tokens })
  return 'LLM response: ' .. answer.text
end

local sampling = fixture('test_sampling', 'Asks the model', function(args)
  return think(args.prompt, 100)
end, { prompt = schema.string {} })

local elicitation = fixture('test_elicitation', 'Asks for a name and an address', function(args)
  return 'User response: ' .. outcome(ask {
    message = args.message,
    form = schema.object {
      username = schema.string { description = "User's response" },
      email = schema.string { description = "User's email address" },
    },
  })
end, { message = schema.string {} })

local defaults = fixture('test_elicitation_sep1034_defaults', 'Asks with defaults', function()
  return 'Elicitation completed: ' .. outcome(ask {
    message = 'Please review these values',
    form = schema.object {
      name = schema.string { default = 'John Doe' },
      age = schema.integer { default = 30 },
      score = schema.number { default = 95.5 },
      status = schema.string { enum = { 'active', 'inactive', 'pending' }, default = 'active' },
      verified = schema.boolean { default = true },
    },
  })
end)

local function titled(...)
  local choices = {}
  for index, title in ipairs { ... } do
    choices[index] = { const = 'value' .. index, title = title }
  end
  return choices
end

local OPTIONS = { 'option1', 'option2', 'option3' }

local enums = fixture('test_elicitation_sep1330_enums', 'Asks for choices', function()
  return 'Elicitation completed: ' .. outcome(ask {
    message = 'Please choose',
    form = {
      type = 'object',
      properties = {
        untitledSingle = { type = 'string', enum = OPTIONS },
        titledSingle = { type = 'string', oneOf = titled('First', 'Second', 'Third') },
        legacyEnum = { type = 'string', enum = { 'opt1', 'opt2' }, enumNames = { 'One', 'Two' } },
        untitledMulti = { type = 'array', items = { type = 'string', enum = OPTIONS } },
        titledMulti = { type = 'array', items = { anyOf = titled('First', 'Second', 'Third') } },
      },
    },
  })
end)

local named = fixture('test_input_required_result_elicitation', 'Asks for a name', greet)

local capital = fixture('test_input_required_result_sampling', 'Asks the model', function()
  return think('What is the capital of France?', 100)
end)

local state = fixture('test_input_required_result_request_state', 'Asks to confirm', function()
  answered(ask { message = 'Please confirm', form = schema.object { ok = schema.boolean {} } })
  return 'state-ok'
end)

local rounds = fixture('test_input_required_result_multi_round', 'Asks twice', function()
  local first = answered(ask { message = 'Step 1: What is your name?', form = NAME })
  local second = answered(ask {
    message = 'Step 2: What is your favorite color?',
    form = schema.object { color = schema.string {} },
  })
  return first.name .. ' likes ' .. second.color
end)

local streaming = fixture('test_streaming_elicitation', 'Asks in the course of a call', greet)

local function directories()
  local roots = answered(ask.roots { key = 'client_roots' })
  local uris = {}
  for index, root in ipairs(roots) do
    uris[index] = root.uri
  end
  return table.concat(uris, ', ')
end

local listed = fixture('test_input_required_result_list_roots', 'Asks for directories', function()
  return 'Roots: ' .. directories()
end)

local several = fixture('test_input_required_result_multiple_inputs', 'Asks for three things',
  function()
    local parts = task.all {
      greet,
      function()
        return answered(ask.model {
          key = 'greeting',
          messages = 'Generate a greeting',
          max_tokens = 50,
        }).text
      end,
      directories,
    }
    return table.concat(parts, ' ')
  end)

-- Asks for everything, and makes do with what the client can answer.
local capable = fixture('test_input_required_result_capabilities', 'Asks what it can', function()
  local parts = task.all {
    function()
      local answer = ask { message = 'What is your name?', form = NAME }
      return answer and answer.name or 'nobody'
    end,
    function()
      local answer = ask.model { messages = 'Generate a greeting', max_tokens = 50 }
      return answer and answer.text or 'nothing'
    end,
  }
  return table.concat(parts, ' ')
end)

local needing = tool {
  name = 'test_missing_capability',
  description = 'Needs a client with a model',
  permission = 'read',
  input = schema.object {},
  asks = { 'model' },
  run = function()
    return think('Say hello', 50)
  end,
}

local tampered = fixture('test_input_required_result_tampered_state', 'Asks for a name', greet)

local context = prompt {
  name = 'test_input_required_result_prompt',
  description = 'Asks for its context',
  run = function()
    local answer = answered(ask {
      message = 'What context should the prompt use?',
      form = schema.object { context = schema.string {} },
    })
    return 'Use this context: ' .. answer.context
  end,
}

return {
  name = 'conversation',
  tools = {
    sampling, elicitation, defaults, enums, named, capital, state, rounds, tampered, streaming,
    listed, several, capable, needing,
  },
  prompts = { context },
}
