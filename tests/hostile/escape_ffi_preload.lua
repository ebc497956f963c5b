-- ffi through package.preload.
-- expect: script_error: attempt to index global 'package' (a nil value)
local _ = package.preload.ffi()
