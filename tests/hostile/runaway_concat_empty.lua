-- A long list of empty strings joined again and again.
-- expect: budget_exceeded: time budget of
local t = {}
for i = 1, 20000 do
  t[i] = ''
end
while true do
  table.concat(t)
end
