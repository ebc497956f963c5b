-- A handler that raises, in a loop.
-- expect: budget_exceeded: time budget of
while true do
  xpcall(error, error, 'again')
end
