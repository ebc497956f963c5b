-- An __index function that loops.
-- expect: budget_exceeded: time budget of
local t = setmetatable({}, { __index = function()
  while true do
  end
end })
local _ = t.x
