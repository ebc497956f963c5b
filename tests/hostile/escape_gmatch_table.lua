-- Arguments of other types.
-- expect: script_error: bad argument #1 to 'gmatch' (string expected, got table)
local _ = string.gmatch({}, {})
