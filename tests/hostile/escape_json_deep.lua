-- JSON deeper than any parser should go.
-- expect: ok
local value, err = json.decode(('['):rep(100000))
assert(value == nil and err.code == 'invalid_json', err.message)
assert(err.message:find('deeper'), err.message)
