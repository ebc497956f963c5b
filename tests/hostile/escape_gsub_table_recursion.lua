-- C calls nested by an __index of the replacement table.
-- expect: script_error: C stack overflow
local t
t = setmetatable({}, { __index = function()
  return (('x'):gsub('.', t))
end })
local _ = (('x'):gsub('.', t))
