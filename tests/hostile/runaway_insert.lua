-- A long list shifted by one again and again.
-- expect: budget_exceeded: time budget of
local t = {}
for i = 1, 50000 do
  t[i] = i
end
while true do
  table.insert(t, 1, 0)
  t[#t] = nil
end
