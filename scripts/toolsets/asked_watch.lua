-- The watchers that a model asks for with a start: patterns of its own, or presets by name. What is
-- wrong with them is the model's mistake, and is explained in terms of its arguments.
local named_watchers = require 'watchers.named'

local M = {}

-- What a watcher that is a pattern alone calls its event.
local EVENT = 'match'

--- The schema of the argument `watch`: presets by name, patterns, or watchers in full.
---@param prefix string of its description
---@return Schema
function M.schema(prefix)
  local full = schema.object({
    regex = schema.string { optional = true },
    event = schema.string { optional = true },
    preset = schema.string { enum = named_watchers.names, optional = true },
    once = schema.boolean { optional = true },
    scope = schema.string {
      enum = { 'stdout', 'stderr', 'both', 'screen' }, optional = true,
      description = 'screen: what the terminal shows (with pty), for full-screen programs',
    },
  }, { rare = true })
  return schema.array(schema.one_of { schema.string {}, full }, {
    description = prefix .. 'RE2 or preset: ' .. table.concat(named_watchers.names, ', '),
    max_items = 64, optional = true,
  })
end

-- Returns a watcher in full.
local function in_full(asked)
  if type(asked) ~= 'string' then
    return asked
  elseif named_watchers.watchers(asked) then
    return { preset = asked }
  end
  return { regex = asked, event = EVENT }
end

-- `field` may be nil.
local function wrong_watch(index, field, problem)
  local place = field and '.' .. field or ''
  tool.error('invalid_arguments', ('args.watch[%d]%s: %s'):format(index - 1, place, problem))
end

-- Returns the watchers, with presets expanded, and the argument that each comes from.
local function watchers_of(args)
  if not args.watch then
    return nil, {}
  end
  local watchers, origins = {}, {}
  for index, item in ipairs(args.watch) do
    local asked = in_full(item)
    if asked.regex == '' then
      wrong_watch(index, 'regex', 'is empty; expected an RE2')
    end
    local own = asked.regex ~= nil and asked.event ~= nil
    local named = asked.preset ~= nil and asked.regex == nil and asked.event == nil
    if not own and not named then
      wrong_watch(index, nil, 'expected regex and event, or preset alone')
    end
    if asked.scope == 'screen' and not args.pty then
      wrong_watch(index, 'scope', "'screen' needs a terminal: give pty")
    end
    for _, watcher in ipairs(named and named_watchers.watchers(asked.preset) or { asked }) do
      watcher.once = asked.once
      watcher.scope = asked.scope or watcher.scope
      watchers[#watchers + 1] = watcher
      origins[#watchers] = index
    end
  end
  return watchers, origins
end

--- Starts or queues a run with the watchers of `args`. Returns what `how` returns. A wrong pattern
--- ends the call with invalid_arguments.
---
--- Example: `local handle, err = asked_watch.start(run.start, args, { command = args.command })`
---@param how fun(options: table): any, Err? run.start or run.queue
---@param args table
---@param options table
---@return any value
---@return Err? err
function M.start(how, args, options)
  local origins
  options.watch, origins = watchers_of(args)
  options.allow = args.allow
  local ok, value, err = pcall(how, options)
  if ok then
    return value, err
  end
  local path = type(value) == 'table' and value.path or {}
  if path[1] == 'watch' and path[2] then
    wrong_watch(origins[path[2]], path[3], value.problem)
  end
  error(value, 0)
end

return M
