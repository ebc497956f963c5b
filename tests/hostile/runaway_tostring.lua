-- __tostring that loops, called by string.format.
-- expect: budget_exceeded: time budget of
local t = setmetatable({}, { __tostring = function()
  while true do
  end
end })
local _ = string.format('%s', t)
