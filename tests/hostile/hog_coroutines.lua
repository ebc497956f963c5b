-- Coroutines without end: scripts have none.
-- expect: script_error: attempt to index global 'coroutine' (a nil value)
local t = {}
while true do
  t[#t + 1] = coroutine.create(print)
end
