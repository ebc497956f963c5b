-- A metatable on math: this state has its own copy.
-- expect: ok
setmetatable(math, { __index = function()
  return 'evil'
end })
assert(math.floor(1.5) == 1)
