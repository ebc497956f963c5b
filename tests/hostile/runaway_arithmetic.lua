-- A hot loop over numbers, what a trace compiler would compile.
-- expect: budget_exceeded: time budget of
local x = 0
for i = 1, 1e18 do
  x = x + i % 7
end
