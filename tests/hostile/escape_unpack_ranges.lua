-- Ranges at the ends of every integer.
-- expect: ok
local most, least = 2147483647, -2147483648
for _, range in ipairs({ { 0, most }, { least, 0 }, { 1, 1e300 }, { most, most } }) do
  local ok, first = pcall(unpack, {}, range[1], range[2])
  assert(not ok or first == nil)
end
