-- What the game lets scripts, models and its own console do to it: tools of the host. They are
-- listed with the tools of the scripts, and the same policy judges their calls.
local night = require 'night'

local M = {}

-- Returns the names of the colours, sorted.
local function color_names()
  local names = {}
  for name in pairs(night.COLORS) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- Returns the tools that act on a world.
---@param world table night
---@return table[] tools as Runtime:tool takes them one by one
function M.of(world)
  local spawn = {
    name = 'spawn',
    description = 'Adds fireflies to the game.',
    permission = 'write',
    input = {
      type = 'object',
      properties = {
        count = { type = 'integer', minimum = 1, maximum = 500, description = 'How many more' },
      },
      required = { 'count' },
    },
    run = function(args)
      local room = night.MOST - #world.flies
      if args.count > room then
        return nil, ('args.count: %d do not fit; there is room for %d more'):format(
          args.count, room)
      end
      night.spawn(world, args.count)
      return ('%d fireflies more, %d now.'):format(args.count, #world.flies)
    end,
  }
  local set_color = {
    name = 'set_color',
    description = 'Gives the fireflies another colour.',
    permission = 'write',
    input = {
      type = 'object',
      properties = { color = { type = 'string', enum = color_names() } },
      required = { 'color' },
    },
    run = function(args)
      world.color = args.color
      return ('The fireflies are %s.'):format(args.color)
    end,
  }
  return { spawn, set_color }
end

return M
