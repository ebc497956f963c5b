-- Tools whose calls become tasks.
local MS = 1000
-- So long that no client takes the answer for an immediate one.
local NOT_AT_ONCE_MS = 300

local function fixture(name, description, fields)
  fields.name = name
  fields.description = description
  fields.permission = 'read'
  fields.input = schema.object(fields.input or {})
  return tool(fields)
end

-- Returns what the client's user answered, or ends the call.
local function answered(message, fields)
  local answer, err = ask { message = message, form = schema.object(fields) }
  if not answer then
    tool.error(err.code, err.message)
  end
  return answer
end

local greet = fixture('greet', 'Greets at once', {
  task = 'never',
  input = { name = schema.string { default = 'World' } },
  run = function(args)
    return ('Hello, %s!'):format(args.name)
  end,
})

local slow_compute = fixture('slow_compute', 'Takes as long as it is told', {
  task = 0,
  input = {
    seconds = schema.number { minimum = 0, maximum = 600, default = 1 },
    label = schema.string { optional = true },
  },
  run = function(args)
    time.sleep(args.seconds * MS)
    return ('Computed %s for %g s'):format(args.label or 'it', args.seconds)
  end,
})

local failing_job = fixture('failing_job', 'Fails after a second', {
  task = 'required',
  run = function()
    time.sleep(MS)
    tool.error('job_failed', 'The job has failed')
  end,
})

local protocol_error_job = fixture('protocol_error_job', 'Breaks', {
  task = 0,
  run = function()
    time.sleep(NOT_AT_ONCE_MS)
    error('The job is broken')
  end,
})

local confirm_delete = fixture('confirm_delete', 'Asks before it would delete', {
  task = 0,
  input = { filename = schema.string { default = 'a file' } },
  run = function(args)
    local answer = answered(('Delete %s?'):format(args.filename), {
      confirm = schema.boolean {},
    })
    return (answer.confirm and 'Deleted %s' or 'Kept %s'):format(args.filename)
  end,
})

local multi_input = fixture('multi_input', 'Asks two things at once', {
  task = 0,
  run = function()
    local function confirmed(what)
      return function()
        return answered(('Confirm the %s'):format(what), {
          name = schema.string { optional = true },
          confirm = schema.boolean {},
        }).confirm
      end
    end
    local answers = task.all { confirmed 'first', confirmed 'second' }
    return ('Confirmed: %s and %s'):format(tostring(answers[1]), tostring(answers[2]))
  end,
})

local with_task = fixture('test_tool_with_task', 'Asks, and is answered with a task then', {
  task = 'required',
  run = function()
    local answer = answered('What is your name?', { name = schema.string {} })
    time.sleep(MS)
    return ('The task of %s is done'):format(answer.name)
  end,
})

return {
  name = 'tasks',
  tools = {
    greet, slow_compute, failing_job, protocol_error_job, confirm_delete, multi_input, with_task,
  },
}
