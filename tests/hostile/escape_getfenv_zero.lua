-- The globals of the host.
-- expect: script_error: attempt to call global 'getfenv' (a nil value)
local _ = getfenv(0)
