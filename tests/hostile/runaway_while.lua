-- The plainest loop.
-- expect: budget_exceeded: time budget of
while true do
end
