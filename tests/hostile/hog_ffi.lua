-- Memory behind the allocator: no ffi.
-- expect: script_error: attempt to call global 'require' (a nil value)
local ffi = require('ffi')
local _ = ffi.new('char[1000000000]')
