-- One string a million times.
-- expect: script_error: value[
local s = ('x'):rep(1000000)
local t = {}
for i = 1, 100 do
  t[i] = s
end
local _ = json.encode(t)
