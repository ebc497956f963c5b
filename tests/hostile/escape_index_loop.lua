-- A chain of __index that bites its tail.
-- expect: script_error: 
local t = {}
setmetatable(t, { __index = t })
local a, b = {}, {}
setmetatable(a, { __index = b })
setmetatable(b, { __index = a })
local _ = a.x
