---@meta
-- The table `task`: several things at once within one call. A call ends after its tasks. A task
-- that fails cancels its siblings, and a cancelled call cancels its tasks first.

---A task that was spawned.
---@class Task
local Task = {}

---@class task
task = {}

---Starts a function that runs beside the current one. Raises outside of a call: while scripts load,
---and in a policy.
---
---Example:
---```lua
---local sleeping = task.spawn(function(ms) time.sleep(ms) return 'rested' end, 20)
---assert(sleeping:await() == 'rested')
---```
---@since 0.1.0
---@param fn function
---@param ... any arguments of fn
---@return Task
function task.spawn(fn, ...) end

---Runs functions at the same time and waits for all of them. Raises the first error, after the
---others were cancelled and have ended.
---
---Example:
---```lua
---local results = task.all { function() return 1 end, function() return 2 end }
---assert(results[1] + results[2] == 3)
---```
---@since 0.1.0
---@param fns (fun(): any)[]
---@return any[] results the first result of each
function task.all(fns) end

---Waits for the task. Raises the task's error, with the place that spawned it.
---
---Example:
---```lua
---local reading = task.spawn(function() return json.encode { 1, 2 } end)
---local text = reading:await()
---```
---@since 0.1.0
---@return any ... what the function returned
function Task:await() end

---Cancels the task and its children: they stop waiting, and the call no longer waits for them.
---Effects that have begun continue. Does nothing when the task has ended. Raises for the task that
---is running, and for those above it.
---
---Example:
---```lua
---local sleeping = task.spawn(time.sleep, 60000)
---sleeping:cancel()
---```
---@since 0.1.0
function Task:cancel() end
