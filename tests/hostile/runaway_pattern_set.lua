-- A set of half a megabyte, read again for each character.
-- expect: script_error: pattern too complex: more than
local set = '[' .. ('b'):rep(500000) .. ']'
local subject = ('a'):rep(1000)
local _ = subject:find(set)
