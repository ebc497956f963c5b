-- Many large strings in one format.
-- expect: memory_exceeded:
local s = ('x'):rep(1000000)
local _ = string.format(('%s'):rep(100), unpack({ s, s, s, s, s, s, s, s, s, s }))
