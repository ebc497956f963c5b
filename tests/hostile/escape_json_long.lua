-- More values than may be.
-- expect: ok
local value, err = json.decode('[' .. ('0,'):rep(1100000) .. '0]')
assert(value == nil)
assert(err.message:find('more than'), err.message)
