-- Every global removed: only this state has lost them.
-- expect: ok
local globals = _G
for name in pairs(globals) do
  globals[name] = nil
end
