-- Notes by day: a tool that writes them, resources to read, and a prompt that people choose.
local DAYS = { 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday' }

local function uri_of(day)
  return 'notes://' .. day
end

-- Returns whether the person at the client wants the note to be replaced.
local function may_replace(day)
  local answer, err = ask {
    message = 'There is a note for ' .. day .. ' already. What shall happen to it?',
    form = schema.object { choice = schema.string { enum = { 'replace', 'keep' } } },
  }
  if not answer then
    return false, err.message
  end
  return answer.choice == 'replace', 'the person keeps it'
end

local write = tool {
  name = 'note_write',
  title = 'Write a note',
  description = 'Writes the note of a day. Asks the person before it replaces one.',
  permission = 'write',
  input = schema.object {
    day = schema.string { enum = DAYS },
    text = schema.string { min_length = 1, max_length = 10000 },
  },
  run = function(args)
    if store.get(args.day) then
      local good, why = may_replace(args.day)
      if not good then
        return { is_error = true, text = 'The note of ' .. args.day .. ' stays: ' .. why .. '.' }
      end
    end
    store.set(args.day, args.text)
    resource.updated(uri_of(args.day))
    return {
      text = 'Noted.',
      content = {
        {
          type = 'resource_link',
          uri = uri_of(args.day),
          name = args.day,
          mime_type = 'text/markdown',
          annotations = { audience = { 'user' } },
        },
      },
    }
  end,
}

local note = resource {
  name = 'note',
  title = 'A note',
  uri_template = 'notes://{day}',
  description = 'What was noted on a day.',
  mime_type = 'text/markdown',
  complete = { day = DAYS },
  read = function(args)
    return store.get(args.day)
  end,
}

local plan = prompt {
  name = 'plan',
  title = 'Plan the day',
  description = 'Plans a day from its note.',
  arguments = { { name = 'day', description = 'Which day', complete = DAYS } },
  run = function(args)
    local text = store.get(args.day)
    if not text then
      tool.error('note_not_found', 'There is no note for ' .. args.day .. '.')
    end
    return {
      'Make a plan for ' .. args.day .. ' from this note.',
      {
        content = {
          type = 'resource',
          uri = uri_of(args.day),
          mime_type = 'text/markdown',
          text = text,
        },
      },
    }
  end,
}

return { name = 'notes', tools = { write }, resources = { note }, prompts = { plan } }
