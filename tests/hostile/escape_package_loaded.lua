-- The real libraries through package.loaded.
-- expect: script_error: attempt to index global 'package' (a nil value)
local _ = package.loaded.os.exit(1)
