-- A userdata with a metatable of its own.
-- expect: script_error: attempt to call global 'newproxy' (a nil value)
local _ = newproxy(true)
