-- The longest number that a format gives.
-- expect: ok
assert(#string.format('%99.99f', -1.7976931348623157e308) < 500)
