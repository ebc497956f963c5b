---@meta
-- The table `host`: functions that the program around the runtime offers to scripts. Which there
-- are depends on that program; `host.NAME` is nil where it has none of that name.

---A call of a function waits for its answer, as tool.call does, and returns the value, or nil, err:
---`denied`, `timeout`, `invalid_arguments`, or a code of the host's own. The policy judges it as a
---call of a tool named `host.NAME`, with the permission that the host gives the function. In
---policies `host` has the pure functions alone, which answer at once, and raise when they fail.
---
---Example:
---```lua
---if host.open_buffer then
---  local buffer, err = host.open_buffer { path = 'main.c' }
---  log.info(buffer and buffer.name or err.message)
---end
---```
---@since 0.2.0
---@class host
---@field [string] fun(args?: table): any, Err?
host = {}
