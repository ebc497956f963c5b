-- A file of the host.
-- expect: script_error: attempt to index global 'io' (a nil value)
local _ = io.open('/etc/passwd')
