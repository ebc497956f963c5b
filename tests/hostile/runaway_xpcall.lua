-- A message handler that loops: LuaJIT runs it with hooks off.
-- expect: budget_exceeded: time budget of
xpcall(function()
  while true do
  end
end, function()
  while true do
  end
end)
