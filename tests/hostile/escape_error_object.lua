-- An error value whose metamethods run for ever.
-- expect: script_error: the error value is a table without a message
error(setmetatable({}, {
  __index = function()
    while true do
    end
  end,
  __tostring = function()
    while true do
    end
  end,
}))
