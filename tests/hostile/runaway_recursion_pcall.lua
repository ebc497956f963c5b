-- Stack overflows, caught and begun again.
-- expect: budget_exceeded: time budget of
local function f()
  return 1 + f()
end
while true do
  pcall(f)
end
