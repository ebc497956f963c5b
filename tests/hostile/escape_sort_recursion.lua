-- C calls nested by comparators until the C stack ends.
-- expect: script_error: C stack overflow
local function f()
  table.sort({ 1, 2, 3 }, f)
  return true
end
f()
