-- A key that next() does not know.
-- expect: script_error: invalid key to 'next'
local _ = next({}, 'nowhere')
