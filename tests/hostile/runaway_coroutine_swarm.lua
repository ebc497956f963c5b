-- Many coroutines, each with a loop: scripts have none.
-- expect: script_error: attempt to index global 'coroutine' (a nil value)
while true do
  coroutine.resume(coroutine.create(function()
    while true do
    end
  end))
end
