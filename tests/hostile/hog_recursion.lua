-- Recursion without end.
-- expect: script_error: stack overflow
local function f()
  return 1 + f()
end
f()
