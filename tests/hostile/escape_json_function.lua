-- A function has no JSON.
-- expect: script_error: value.f: a function is not a JSON value
local _ = json.encode({ f = pcall })
