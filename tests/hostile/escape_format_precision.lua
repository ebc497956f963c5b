-- A precision that no buffer holds.
-- expect: script_error: invalid
local _ = string.format('%.99999f', 1)
