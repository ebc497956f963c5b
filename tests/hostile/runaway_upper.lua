-- Megabytes of upper case again and again.
-- expect: budget_exceeded: time budget of
local s = ('x'):rep(4 * 1048576 - 100)
while true do
  s:upper()
end
