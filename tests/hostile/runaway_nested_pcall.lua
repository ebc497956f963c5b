-- 150 nested pcalls, each of which goes on with a loop.
-- expect: budget_exceeded: time budget of
local function loop()
  while true do
  end
end
local function nest(depth)
  if depth > 0 then
    pcall(nest, depth - 1)
  end
  loop()
end
nest(150)
