-- The compiler switched on: compiled loops see no hook.
-- expect: script_error: attempt to index global 'jit' (a nil value)
jit.on()
while true do
end
