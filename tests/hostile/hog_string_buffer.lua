-- LuaJIT's string buffers: no require.
-- expect: script_error: attempt to call global 'require' (a nil value)
local buffer = require('string.buffer').new()
while true do
  buffer:put(('x'):rep(1000))
end
