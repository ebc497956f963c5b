-- C calls nested by a replacement until the C stack ends: LuaJIT's own crashes.
-- expect: script_error: C stack overflow
local function f()
  return (('x'):gsub('.', f))
end
f()
