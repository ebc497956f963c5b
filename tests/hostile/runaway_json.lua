-- A value encoded and decoded for ever.
-- expect: budget_exceeded: time budget of
local t = {}
for i = 1, 1000 do
  t[i] = { i, 'text' }
end
while true do
  t = json.decode(json.encode(t))
end
