-- CVE-2022-0543: a leaked package table loads the C library.
-- expect: script_error: attempt to index global 'package' (a nil value)
local _ = package.loadlib('libc.so.6', '*')
