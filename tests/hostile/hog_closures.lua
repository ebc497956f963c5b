-- Closures without end.
-- expect: memory_exceeded:
local t = {}
for i = 1, 1e9 do
  t[i] = function()
    return i
  end
end
