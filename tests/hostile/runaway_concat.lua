-- Megabytes copied by each concatenation.
-- expect: budget_exceeded: time budget of
local s = ('x'):rep(1048576)
while true do
  local _ = s .. 'y'
end
