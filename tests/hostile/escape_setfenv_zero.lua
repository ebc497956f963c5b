-- The globals of everybody replaced.
-- expect: script_error: attempt to call global 'setfenv' (a nil value)
setfenv(0, {})
