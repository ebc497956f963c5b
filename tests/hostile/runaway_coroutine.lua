-- A loop inside a coroutine: scripts have none.
-- expect: script_error: attempt to index global 'coroutine' (a nil value)
coroutine.wrap(function()
  while true do
  end
end)()
