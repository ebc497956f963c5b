---@meta
-- The table `time`. All times are milliseconds.

---@class time
time = {}

---Returns the Unix time. It may jump when the clock is set.
---
---Example:
---```lua
---local started = time.now_ms()
---```
---@since 0.1.0
---@return number
function time.now_ms() end

---Returns the time since an arbitrary start. It never jumps, so it is for measuring.
---
---Example:
---```lua
---local before = time.monotonic_ms()
---time.sleep(10)
---log.info('slept', { ms = time.monotonic_ms() - before })
---```
---@since 0.1.0
---@return number
function time.monotonic_ms() end

---Suspends the task; other tasks continue. Raises outside of a call.
---
---Example:
---```lua
---time.sleep(250)
---```
---@since 0.1.0
---@param ms number 0 to 30 days
function time.sleep(ms) end

---Formats a duration for people: 12ms, 3.2s, 4m 05s, 2h 03m, 5d 01h.
---
---Example:
---```lua
---assert(time.format_duration(3200) == '3.2s')
---```
---@since 0.1.0
---@param ms number 0 or more
---@return string
function time.format_duration(ms) end
