-- A handler after a stack overflow.
-- expect: ok
local function f()
  return 1 + f()
end
local ok, message = xpcall(f, function(e)
  return 'handled: ' .. tostring(e)
end)
assert(not ok)
assert(message:find('handled: .*stack overflow'), message)
