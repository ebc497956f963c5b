-- A small table that is huge as JSON: each level holds the one below twice.
-- expect: script_error: value
local t = { 1 }
for _ = 1, 40 do
  t = { t, t }
end
local _ = json.encode(t)
