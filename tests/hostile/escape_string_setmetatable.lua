-- The metatable of strings replaced.
-- expect: script_error: bad argument #1 to 'setmetatable' (table expected, got string)
setmetatable('', {})
