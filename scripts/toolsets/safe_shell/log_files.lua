-- Waiting for the files of a run: they are opened and written on a thread of their own.
local M = {}

local LOOK_MS = 5
local OPEN_LOOKS = 100
local WRITE_LOOKS = 400

-- Looks until `good` holds of every file or one cannot be written; gives why not.
local function look(handle, looks, good)
  for _ = 1, looks do
    local info = handle:info()
    local waiting = false
    for _, file in ipairs(info.log or {}) do
      if file.error then
        return file.error, file.path
      end
      waiting = waiting or not good(file, info)
    end
    if not waiting then
      return nil
    end
    time.sleep(LOOK_MS)
  end
  return nil -- a slow disk; what comes of it is an event of the session
end

--- Waits until the run's files are there, half a second at most. Gives why one is not.
---
--- Example: `local problem = log_files.opened(handle)`
---@param handle Run
---@return string? problem
---@return string? path of the file that it is about
function M.opened(handle)
  return look(handle, OPEN_LOOKS, function(file)
    return file.files > 0
  end)
end

--- Waits until the run's files have all that it wrote, two seconds at most. Gives why one has not.
---
--- Example: `local problem = log_files.written(handle)`
---@param handle Run one that has ended
---@return string? problem
---@return string? path of the file that it is about
function M.written(handle)
  return look(handle, WRITE_LOOKS, function(file, info)
    local both = file.stream == 'both'
    local bytes = both and info.stdout.bytes + info.stderr.bytes or info[file.stream].bytes
    return file.full or file.bytes + file.lost_bytes >= bytes
  end)
end

return M
