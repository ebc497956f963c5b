-- Unverified bytecode through loadstring.
-- expect: script_error: attempt to call global 'loadstring' (a nil value)
local _ = loadstring('\27LJ\2')
