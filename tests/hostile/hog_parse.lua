-- Code that writes code: there is no way to load it.
-- expect: script_error: attempt to call global 'loadstring' (a nil value)
local _ = loadstring('return ' .. ('{'):rep(100000))
