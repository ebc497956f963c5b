-- The metatables of the other basic types.
-- expect: ok
assert(getmetatable(1) == nil)
assert(getmetatable(true) == nil)
assert(getmetatable(nil) == nil)
assert(getmetatable(pcall) == nil)
