-- Unverified bytecode through load.
-- expect: script_error: attempt to call global 'load' (a nil value)
local _ = load('\27LJ\2')
