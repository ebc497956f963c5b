-- A string of a gigabyte, by its separator.
-- expect: script_error: string.rep: a result of
local _ = (''):rep(1e6, ('x'):rep(1000))
