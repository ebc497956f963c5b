-- A table that holds itself.
-- expect: script_error: value.me.me
local t = {}
t.me = t
local _ = json.encode(t)
