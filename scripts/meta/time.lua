---@meta
-- The table `time`. Times are milliseconds.

---@class time
time = {}

---Gives the Unix time in milliseconds. May jump when the clock is set.
---
---Example: `local started = time.now_ms()`
---@return number
function time.now_ms() end

---Gives milliseconds from an arbitrary start. Never jumps; for measuring.
---
---Example: `local took = time.monotonic_ms() - before`
---@return number
function time.monotonic_ms() end

---Suspends the task; others go on. Raises outside of a call.
---
---Example: `time.sleep(250)`
---@param ms number 0 to 30 days
function time.sleep(ms) end

---Gives a duration as people read it: 12ms, 3.2s, 4m 05s, 2h 03m, 5d 01h.
---
---Example: `time.format_duration(3200) == '3.2s'`
---@param ms number 0 or more
---@return string
function time.format_duration(ms) end
