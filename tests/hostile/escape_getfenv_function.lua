-- The environment of a library function.
-- expect: script_error: attempt to call global 'getfenv' (a nil value)
local _ = getfenv(pcall)
