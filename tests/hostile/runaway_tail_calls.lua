-- A loop made of tail calls: no stack grows.
-- expect: budget_exceeded: time budget of
local function f(n)
  return f(n + 1)
end
f(0)
