-- A comparator that empties the list that is sorted.
-- expect: ok
local t = {}
for i = 1, 500 do
  t[i] = 500 - i
end
pcall(table.sort, t, function(a, b)
  for i = 1, #t do
    t[i] = nil
  end
  return a and b and a < b
end)
