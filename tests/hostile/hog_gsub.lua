-- A replacement that is larger than what may exist.
-- expect: memory_exceeded:
local s = ('x'):rep(100000)
local _ = s:gsub('x', s)
