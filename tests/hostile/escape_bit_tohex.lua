-- CVE-2024-31449: the width of bit.tohex.
-- expect: ok
for _, width in ipairs({ -2147483648, 2147483647, -1e9, 1e9, 0, -8, 255 }) do
  assert(#bit.tohex(-1, width) <= 254)
end
