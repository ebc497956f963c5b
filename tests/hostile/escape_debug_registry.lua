-- The registry of the host.
-- expect: script_error: attempt to index global 'debug' (a nil value)
local _ = debug.getregistry()
