-- The hook of the budget removed.
-- expect: script_error: attempt to index global 'debug' (a nil value)
debug.sethook()
while true do
end
