-- Recursion with ever more arguments.
-- expect: script_error: stack overflow
local function f(...)
  return 1 + f(1, ...)
end
f()
