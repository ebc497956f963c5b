-- The files that `safe_shell` writes output to.
local condition = require 'toolsets.condition'

local M = { NOWHERE = '/dev/null' }

local MAX_NAME_BYTES = 252
local MAX_PATH_BYTES = 1024

--- Ends the call: an argument is wrong.
---@param field string
---@param message string
function M.wrong(field, message)
  tool.error('invalid_arguments', ('args.%s: %s'):format(field, message))
end

local function is_below(path, directory)
  local start = directory:gsub('/+$', '') .. '/'
  return path:sub(1, #start) == start
end

-- Returns the absolute, normalised path of a file that an argument names; nil when it names none.
local function absolute(field, path, ctx)
  if not path or path == M.NOWHERE then
    return path
  elseif path == '' or path:find '%z' then
    M.wrong(field, 'expected a path, got an empty one or one with a NUL byte')
  elseif path:sub(1, 1) == '~' then
    M.wrong(field, ("expected a path below the workspace, or an absolute one; '~' is not expanded, "
      .. "got '%s'"):format(path))
  elseif path:sub(-1) == '/' or path:find '/%.$' or path == '.' then
    M.wrong(field, ("expected a file, got the directory '%s'"):format(path))
  end
  local names = {}
  for name in condition.path(path, ctx):gmatch '[^/]+' do
    if name == '..' then
      M.wrong(field, ("expected a path without '..', got '%s'"):format(path))
    elseif #name > MAX_NAME_BYTES then
      M.wrong(field, ('expected names of at most %d bytes'):format(MAX_NAME_BYTES))
    elseif name ~= '.' then
      names[#names + 1] = name
    end
  end
  local whole = '/' .. table.concat(names, '/')
  if not is_below(whole, ctx.workspace) and not is_below(whole, ctx.temp_directory) then
    local message = 'expected a file below the workspace (%s) or the temporary directory (%s), '
      .. "got '%s'"
    M.wrong(field, message:format(ctx.workspace, ctx.temp_directory, path))
  elseif #whole > MAX_PATH_BYTES then
    M.wrong(field, ('expected a path of at most %d bytes'):format(MAX_PATH_BYTES))
  end
  return whole
end

---@class SafeShellPaths
---@field stdout? string absolute, or /dev/null
---@field stderr? string
---@field merged boolean stderr goes where stdout goes

--- Returns the files of stdout and stderr, which are the same when the streams are merged. Ends the
--- call when one lies elsewhere than below the workspace or the temporary directory.
---
--- Example: `local paths = files.of(args, ctx)`
---@param args { stdout_file?: string, stderr_file?: string }
---@param ctx Ctx
---@return SafeShellPaths
function M.of(args, ctx)
  local stdout = absolute('stdout_file', args.stdout_file, ctx)
  local stderr = absolute('stderr_file', args.stderr_file, ctx)
  return { stdout = stdout, stderr = stderr or stdout, merged = not stderr or stderr == stdout }
end

--- Returns the option `log` of run.start for these files.
---@param paths SafeShellPaths
---@return table[]?
function M.logs(paths)
  local logs = {}
  for _, stream in ipairs { 'stdout', 'stderr' } do
    local path = paths[stream]
    local own = stream == 'stdout' or not paths.merged
    if own and path and path ~= M.NOWHERE then
      logs[#logs + 1] = { path = path, stream = stream }
    end
  end
  return #logs > 0 and logs or nil
end

--- Returns the argument that named a file.
---@param paths SafeShellPaths
---@param path string
---@return string
function M.field_of(paths, path)
  return path == paths.stdout and 'stdout_file' or 'stderr_file'
end

return M
