-- Tools and a prompt that ask the client.

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

local function greet()
  local answer, err = ask { message = 'What is your name?', form = NAME }
  if not answer then
    tool.error(err.code, err.message)
  end
  return 'Hello, ' .. answer.name .. '!'
end

local function think(messages, max_tokens)
  local answer, err = ask.model { messages = messages, max_tokens = max_tokens }
  if not answer then
    tool.error(err.code, err.message)
  end
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
  local answer, err = ask {
    message = 'Please confirm',
    form = schema.object { ok = schema.boolean {} },
  }
  if not answer then
    tool.error(err.code, err.message)
  end
  return 'state-ok'
end)

local rounds = fixture('test_input_required_result_multi_round', 'Asks twice', function()
  local first, err = ask { message = 'Step 1: What is your name?', form = NAME }
  if not first then
    tool.error(err.code, err.message)
  end
  local second, why = ask {
    message = 'Step 2: What is your favorite color?',
    form = schema.object { color = schema.string {} },
  }
  if not second then
    tool.error(why.code, why.message)
  end
  return first.name .. ' likes ' .. second.color
end)

local tampered = fixture('test_input_required_result_tampered_state', 'Asks for a name', greet)

local context = prompt {
  name = 'test_input_required_result_prompt',
  description = 'Asks for its context',
  run = function()
    local answer, err = ask {
      message = 'What context should the prompt use?',
      form = schema.object { context = schema.string {} },
    }
    if not answer then
      tool.error(err.code, err.message)
    end
    return 'Use this context: ' .. answer.context
  end,
}

return {
  name = 'conversation',
  tools = {
    sampling, elicitation, defaults, enums, named, capital, state, rounds, tampered,
  },
  prompts = { context },
}
