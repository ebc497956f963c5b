-- C calls nested by __tostring until the C stack ends.
-- expect: script_error: C stack overflow
local t
t = setmetatable({}, { __tostring = function()
  return string.format('%s', t)
end })
local _ = string.format('%s', t)
