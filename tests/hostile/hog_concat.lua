-- One string out of many large ones.
-- expect: memory_exceeded:
local t = {}
for i = 1, 100 do
  t[i] = ('x'):rep(100000)
end
local _ = table.concat(t)
