-- Finds out from the engine why the client of a container ended: the command exited, the container
-- never started, or the client lost its connection.
local command = require 'executors.command'

local M = {}

-- Exit codes of the client that the command can have, too.
local NO_CONTAINER = 125
local NOT_EXECUTABLE = 126
local NOT_FOUND = 127
local SIGKILLED = 137

-- An engine can report the end of a container before it knows that memory was the reason; on a
-- busy machine, more than a second before.
local LATE_REASON_MS = 250
local LATE_LOOKS = 8

local NEVER = '^0001%-' -- the start time of a container that never started

-- The messages of the first process when the command does not exist.
local INIT_COMPLAINTS = { '%[FATAL tini %(%d+%)%] exec ', 'catatonit:%d+%): failed to exec' }

--- Returns what the engine reports about a container.
---@param state { client: string[], name: string }
---@param what string field of `inspect`
---@return any? value
---@return boolean? missing the engine answers, and there is none; false: it does not answer
function M.inspect(state, what)
  local format = ('{{json .%s}}'):format(what)
  local text, problem = command.output(command.with(state.client, 'inspect', '--format', format,
    state.name))
  if text then
    return json.decode(text)
  end
  return nil, problem:lower():find 'no such ' ~= nil
end

local function tail_of(id)
  local handle = run.get(id)
  local stream = handle and handle:info().pty and 'stdout' or 'stderr'
  return handle and handle:tail({ stream = stream, lines = 3 }).text:gsub('%s+$', '') or ''
end

local function with_tail(reason, id)
  local tail = tail_of(id)
  return tail ~= '' and reason .. ': ' .. tail or reason
end

local function is_of_init(id)
  local tail = tail_of(id)
  for _, complaint in ipairs(INIT_COMPLAINTS) do
    if tail:find(complaint) then
      return true
    end
  end
  return false
end

local function not_there(code)
  return ('the command is not in the image, or cannot be executed there (exit code %d)'):format(
    code)
end

local function never_started(program, event)
  local code = event.exit_code
  if code == NOT_EXECUTABLE or code == NOT_FOUND then
    return not_there(code)
  end
  return with_tail(program .. ' could not run the container', event.run)
end

--- Returns the reason and the limit that was reached; nothing when the exit code says enough.
---@param program string the client
---@param event ExecutorEnd
---@return string? reason
---@return string? limit
function M.reason(program, event)
  local code = event.exit_code
  local container, missing = M.inspect(event.state, 'State')
  if not container then
    if missing and code ~= NO_CONTAINER then
      return nil -- the container was removed from outside
    end
    return missing and never_started(program, event)
      or with_tail(('no connection to the engine of %s, or it was lost'):format(program), event.run)
  end
  local limited = event.limits.memory_bytes ~= nil
  for _ = 1, LATE_LOOKS do
    if not limited or code ~= SIGKILLED or container.OOMKilled then
      break
    end
    time.sleep(LATE_REASON_MS)
    container = M.inspect(event.state, 'State') or container
  end
  if container.OOMKilled then
    return 'out of memory', limited and 'memory' or nil
  elseif container.StartedAt:find(NEVER) then
    return never_started(program, event)
  elseif container.Running or code ~= container.ExitCode then
    return with_tail(('the connection to the engine of %s was lost'):format(program), event.run)
  elseif code == NOT_FOUND or code == NOT_EXECUTABLE then
    return is_of_init(event.run) and not_there(code) or nil
  elseif code == SIGKILLED and limited then
    -- Not every engine reports this for processes that the kernel kills.
    return 'exit code 137: perhaps out of memory, another SIGKILL, or the command itself'
  end
end

return M
