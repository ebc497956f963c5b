-- A source of bytecode.
-- expect: script_error: attempt to call field 'dump' (a nil value)
local _ = string.dump(function()
end)
