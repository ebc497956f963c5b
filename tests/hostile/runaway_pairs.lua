-- A table walked again and again.
-- expect: budget_exceeded: time budget of
local t = { a = 1, b = 2, 3, 4 }
while true do
  for _ in pairs(t) do
  end
end
