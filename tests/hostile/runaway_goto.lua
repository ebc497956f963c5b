-- A loop made of goto.
-- expect: budget_exceeded: time budget of
::again::
goto again
