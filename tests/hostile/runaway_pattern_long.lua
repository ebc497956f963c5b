-- A pattern with quadratic cost over megabytes.
-- expect: budget_exceeded: time budget of
local subject = ('a'):rep(2 * 1048576)
local _ = subject:find('.-b')
