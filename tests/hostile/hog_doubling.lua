-- A string that doubles.
-- expect: memory_exceeded:
local s = 'x'
while true do
  s = s .. s
end
