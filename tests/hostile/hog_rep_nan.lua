-- A length that is no number.
-- expect: ok
assert(('x'):rep(0 / 0) == '')
assert(('x'):rep(-1 / 0) == '')
assert((''):rep(1e300) == '')
