-- A pattern that backtracks for years inside one C function.
-- expect: script_error: pattern too complex: more than
local subject = ('a'):rep(40)
local pattern = ('a-'):rep(12) .. 'b'
local _ = subject:find(pattern)
