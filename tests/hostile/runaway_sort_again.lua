-- A long list sorted again and again: no Lua runs meanwhile.
-- expect: budget_exceeded: time budget of
local t = {}
while true do
  for i = 1, 5000 do
    t[i] = (i * 7919) % 10007
  end
  table.sort(t)
end
