-- Calls nested by a replacement: LuaJIT's own gsub nests them on the C stack, and crashes.
-- expect: script_error: gsub:
local function f()
  return (('x'):gsub('.', f))
end
f()
