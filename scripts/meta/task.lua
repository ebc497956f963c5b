---@meta
-- The table `task`: several things at once within one call. A call ends after its tasks; a task
-- that fails cancels its siblings; cancelling goes to the children first.

---A task that was spawned.
---@class Task
local Task = {}

---@class task
task = {}

---Starts a function beside the one that runs. Raises in places that have no call: while scripts
---load, in a policy.
---
---Example: `local reading = task.spawn(read_all, handle)`
---@param fn function
---@param ... any arguments of fn
---@return Task
function task.spawn(fn, ...) end

---Runs functions at the same time and waits for all. Raises the first error, after the others were
---cancelled and have ended.
---
---Example: `local results = task.all { function() return 1 end, function() return 2 end }`
---@param fns (fun(): any)[]
---@return any[] results the first result of each
function task.all(fns) end

---Waits for the task. Raises its error, with the place that spawned it.
---
---Example: `local text = reading:await()`
---@return any ... what the function returned
function Task:await() end

---Cancels the task and its children: what it waits for is given up, and the call does not wait
---for it any more. Effects that have begun go on. Nothing happens when it has ended. Raises for the
---task that runs, and for those above it.
---
---Example: `reading:cancel()`
function Task:cancel() end
