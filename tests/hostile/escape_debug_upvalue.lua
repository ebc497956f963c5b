-- Upvalues of C functions, which are memory.
-- expect: script_error: attempt to index global 'debug' (a nil value)
local _ = debug.setupvalue(string.find, 1, 0)
