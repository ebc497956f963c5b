-- Standard input as a script.
-- expect: script_error: attempt to call global 'dofile' (a nil value)
local _ = dofile()
