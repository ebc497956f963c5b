-- The error of the budget caught and the loop begun again.
-- expect: budget_exceeded: time budget of
local function loop()
  while true do
  end
end
while true do
  pcall(loop)
end
