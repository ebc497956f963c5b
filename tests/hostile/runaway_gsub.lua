-- A replacement function that loops, below a C function.
-- expect: budget_exceeded: time budget of
string.gsub('abc', '.', function()
  while true do
  end
end)
