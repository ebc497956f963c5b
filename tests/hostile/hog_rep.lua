-- A string of a gigabyte.
-- expect: script_error: string.rep: a result of 1000000000 bytes exceeds the limit of 4194304
local _ = ('x'):rep(1e9)
