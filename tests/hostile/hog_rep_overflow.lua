-- A length that overflows every integer.
-- expect: script_error: string.rep: a result of
local _ = ('xxxxxxxx'):rep(2 ^ 61)
