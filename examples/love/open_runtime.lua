-- Opens the runtime of the game, which the main thread owns.
-- luacheck: std luajit

-- How many runs may go on at the same time, whatever the mode says.
local RUNS = 16

-- Where Lua looks for modules below an install prefix.
local MODULES = '%s/share/lua/5.1/?.lua;%s/share/lua/5.1/?/init.lua;%s'

--- Opens a runtime. This takes some 50 ms, so it is done before the first frame.
---@param options table<string, string> options.read
---@param tools table[] tools of the host (tools.lua)
---@return gibbous.Runtime?
---@return string? message
return function(options, tools)
  if options.prefix then
    package.path = MODULES:format(options.prefix, options.prefix, package.path)
  end
  local found, gibbous = pcall(require, 'gibbous')
  if not found then
    return nil, 'Gibbous is not installed where Lua looks; name its prefix with --prefix:\n'
      .. tostring(gibbous)
  end
  local runtime, err = gibbous.new {
    mode = options.mode, workspace = options.workspace, state_dir = options.state,
    library = options.library, tools = tools,
    -- This program plays no part in the queues of others, and loads scripts again only when the
    -- player types `reload`: comparing all files takes longer than a frame's budget.
    work_queue = false, watch_files = false,
    min_concurrent = RUNS,
  }
  return runtime, err and tostring(err)
end
