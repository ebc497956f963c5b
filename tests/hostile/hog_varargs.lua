-- A vararg list without end.
-- expect: script_error: stack overflow
local function f(...)
  return f(1, ...)
end
f()
