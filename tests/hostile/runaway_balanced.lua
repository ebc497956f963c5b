-- %b from every start of a megabyte that is never closed.
-- expect: budget_exceeded: time budget of | script_error: pattern too complex
local subject = ('('):rep(1048576)
local _ = subject:find('%b()')
