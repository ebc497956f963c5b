-- A table deeper than any JSON should be.
-- expect: script_error: value[1][1]
local t = {}
for _ = 1, 1000 do
  t = { t }
end
local _ = json.encode(t)
