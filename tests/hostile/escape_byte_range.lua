-- More bytes than the stack holds.
-- expect: script_error: string slice too long
local _ = (('x'):rep(100000)):byte(1, -1)
