-- Calls nested by comparators: LuaJIT's own sort nests them on the C stack.
-- expect: script_error: stack overflow
local function f()
  table.sort({ 1, 2, 3 }, f)
  return true
end
f()
