-- A string of megabytes in JSON, written and read in one step.
-- expect: budget_exceeded: time budget of
local text = ('\n'):rep(1500000)
while true do
  text = json.decode(json.encode(text)) or text
end
