-- The argument `since` of `wait_for`, in the form in which a wait goes on: where the lines of each
-- process begin that count. A wait that is resumed, or repeated as a task by the next server, does
-- not count from later than its first call did.
local marks = require 'toolsets.marks'

--- Returns the argument in that form, by process ID, and the same as offsets of this server.
---
--- Example: `local kept, behind = since_of(args.since, ids, ctx)`
---@param given? 'start'|integer|table<string, Places>
---@param ids string[]
---@param ctx Ctx
---@return table<string, Places> kept
---@return table<string, Places> behind
return function(given, ids, ctx)
  local kept, behind = {}, {}
  for _, id in ipairs(ids) do
    local handle = run.get(id)
    local info = handle and handle:info()
    local fixed = type(given) == 'table' and given[id]
    kept[id], behind[id] = {}, {}
    for stream, offset in pairs(fixed or marks.behind(handle, ctx.session, given)) do
      -- An earlier server may have read the beginning.
      local origin = info and info[stream].origin or 0
      kept[id][stream] = fixed and offset or offset + origin
      behind[id][stream] = math.max(0, kept[id][stream] - origin)
    end
  end
  return kept, behind
end
