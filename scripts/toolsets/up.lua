-- The toolset `up`, which `gibbous up` calls. It reports events as progress messages that hold
-- JSON.
local services = require 'services'

local FIELDS = {
  services = schema.array(schema.any {}, { optional = true, description = 'Declarations' }),
  procfile = schema.string { optional = true, description = 'Or the text of a Procfile' },
  file = schema.string { optional = true, description = 'Where they stand, for what is wrong' },
  batches = schema.boolean {
    default = false, description = 'Lines come as events `lines` with a list, `lines`',
  },
}

-- An error would name a line of this file, which is not where the mistake is.
local function declared(args)
  local good, list = pcall(function()
    local found = args.services or services.parse_procfile(args.procfile or '')
    services.check(found)
    return found
  end)
  local problem = not good and tostring(list) or #list == 0 and 'no service is declared'
  if problem then
    local place = args.file and args.file .. ': ' or ''
    tool.error('invalid_arguments', place .. problem)
  end
  return list
end

-- Returns the functions that report events and lines.
local function reporter(batches)
  local news = 0
  local function write(text)
    news = news + 1
    tool.progress(news, nil, text)
  end
  local function on_lines(event, lines)
    if batches then
      event.event, event.lines = 'lines', lines
      return write(json.encode(event))
    end
    -- Encoding the whole event for each line would dominate the cost of a line.
    local beginning = json.encode(event):sub(1, -2) .. ',"text":'
    for index = 1, #lines do
      write(beginning .. json.encode(lines[index]) .. '}')
    end
  end
  return function(event) write(json.encode(event)) end, on_lines
end

local up = tool {
  name = 'up',
  title = 'Start services',
  description = 'Starts declared services and looks after them until all have ended.',
  permission = 'execute',
  input = schema.object(FIELDS),
  output = schema.object { failed = schema.array(schema.string {}) },
  run = function(args)
    local list = declared(args)
    local on_event, on_lines = reporter(args.batches)
    store.set('runs', {})
    local failed = services.run(list, {
      on_event = on_event,
      on_lines = on_lines,
      on_run = function(name, id)
        local runs = store.get('runs')
        runs[name] = id
        store.set('runs', runs)
      end,
      is_stopping = function() return store.get('stopping') == true end,
    })
    store.delete('stopping')
    return { text = #failed .. ' failed', data = { failed = json.array(failed) } }
  end,
}

local stop = tool {
  name = 'up_stop',
  title = 'End services',
  description = 'Ends the services that `up` has started, those first that others do not need.',
  permission = 'execute',
  input = schema.object(FIELDS),
  run = function(args)
    -- A service that is just being started is not in the list yet; `up` ends it itself.
    local list = declared(args)
    store.set('stopping', true)
    services.stop(list, store.get('runs') or {})
    return 'ended'
  end,
}

return { name = 'up', tools = { up, stop } }
