-- Not a number has no JSON.
-- expect: script_error: value[1]: nan is not a JSON value
local _ = json.encode({ 0 / 0 })
