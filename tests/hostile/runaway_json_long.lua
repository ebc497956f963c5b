-- A text of megabytes, decoded in one step that cannot pause.
-- expect: budget_exceeded: time budget of
local text = '[' .. ('[[1,2],{"a":"b"}],'):rep(170000) .. '0]'
while true do
  json.decode(text)
end
