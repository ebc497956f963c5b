-- Running out of memory, caught and begun again.
-- expect: budget_exceeded: time budget of
while true do
  pcall(function()
    local t = {}
    while true do
      t[#t + 1] = ('x'):rep(1000) .. #t
    end
  end)
end
