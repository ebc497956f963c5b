-- The marks of json tables, shared by all arrays.
-- expect: script_error: cannot change a protected metatable
local array = json.array({})
assert(getmetatable(array) == 'json.array')
setmetatable(array, { __index = error })
