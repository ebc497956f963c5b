-- More results than the stack holds.
-- expect: script_error: too many results to unpack
local _ = unpack({}, 1, 1e8)
