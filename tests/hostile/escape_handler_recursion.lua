-- Message handlers that fail in message handlers.
-- expect: ok | budget_exceeded:
local function handler()
  return select(2, xpcall(error, handler, 'x'))
end
local ok = pcall(xpcall, error, handler, 'x')
assert(ok == true or ok == false)
