-- A file of the host.
-- expect: script_error: attempt to call global 'loadfile' (a nil value)
local _ = loadfile('/etc/passwd')
