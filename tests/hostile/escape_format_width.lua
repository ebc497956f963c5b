-- A width that no buffer holds.
-- expect: script_error: invalid
local _ = string.format('%99999d', 1)
