-- Metamethods of what is encoded are not called.
-- expect: ok
local t = setmetatable({ a = 1 }, { __index = error, __len = error, __tostring = error })
assert(json.encode(t) == '{"a":1}')
