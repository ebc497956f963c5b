-- What the state holds.
-- expect: script_error: attempt to call global 'gcinfo' (a nil value)
local _ = gcinfo()
