-- An iterator that never ends.
-- expect: budget_exceeded: time budget of
for _ in function()
  return 1
end do
end
