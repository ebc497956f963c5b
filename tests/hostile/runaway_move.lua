-- table.move over two thousand million places.
-- expect: budget_exceeded: time budget of
table.move({}, 1, 2147483646, 2)
