-- A source of bytecode, as a method of strings.
-- expect: script_error: attempt to call method 'dump' (a nil value)
local _ = (''):dump()
