-- The collector stopped, to defeat the memory cap.
-- expect: script_error: attempt to call global 'collectgarbage' (a nil value)
collectgarbage('stop')
