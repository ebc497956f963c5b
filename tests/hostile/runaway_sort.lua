-- A comparator that loops, below a C function.
-- expect: budget_exceeded: time budget of
table.sort({ 3, 1, 2 }, function()
  while true do
  end
end)
