-- A finalizer that loops: LuaJIT runs it with hooks off.
-- expect: script_error: attempt to call global 'newproxy' (a nil value)
local proxy = newproxy(true)
getmetatable(proxy).__gc = function()
  while true do
  end
end
proxy = nil
collectgarbage()
