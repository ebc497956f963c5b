-- The same, caught and begun again.
-- expect: budget_exceeded: time budget of
local subject = ('a'):rep(40)
local pattern = ('a-'):rep(12) .. 'b'
while true do
  pcall(string.match, subject, pattern)
end
