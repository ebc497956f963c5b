-- An order that contradicts itself.
-- expect: ok
local t = {}
for i = 1, 1000 do
  t[i] = i % 7
end
pcall(table.sort, t, function()
  return true
end)
pcall(table.sort, t, function(a, b)
  return a <= b
end)
assert(#t == 1000)
