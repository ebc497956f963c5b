-- Megabytes reversed again and again: few instructions, much work.
-- expect: budget_exceeded: time budget of
local s = ('x'):rep(4 * 1048576 - 100)
while true do
  s:reverse()
end
