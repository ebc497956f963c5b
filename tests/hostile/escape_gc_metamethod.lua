-- __gc of a table: LuaJIT never calls it.
-- expect: ok
for _ = 1, 1000 do
  setmetatable({}, { __gc = function()
    while true do
    end
  end })
end
