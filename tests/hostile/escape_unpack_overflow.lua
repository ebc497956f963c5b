-- CVE-2025-46817: a range whose size overflows.
-- expect: script_error: too many results to unpack
local _ = unpack({}, -2147483648, 2147483647)
