-- A loop of calls.
-- expect: budget_exceeded: time budget of
local function f(n)
  return n + 1
end
local n = 0
while true do
  n = f(n)
end
