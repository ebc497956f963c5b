-- A selection at the ends of every integer.
-- expect: ok
for _, n in ipairs({ -2147483648, 2147483647, 1e300, -1e300 }) do
  pcall(select, n, 1, 2, 3)
end
