-- Removes containers: after the end of their run, by the cleanup command, and later those that
-- could not be removed before. Only a removal that the engine confirms counts.
local command = require 'executors.command'

local M = {}

M.RUN_LABEL = 'gibbous.run'
M.HOST_LABEL = 'gibbous.host'

local TIDY_EVERY_MS = 10000
local CLEANUP_LIMIT_MS = 10000 -- the time that a cleanup command may take

-- Reads the answer of `rm -f`, which names what it removed. When the container does not exist,
-- docker complains and podman prints nothing. Anything else is a failure.
local SAID = [[
  case "$code
$said
" in
    0*"
$name
"*) answer=removed ;;
    *'o such container'* | *'no container with'*) answer=missing ;;
    "0

") answer=missing ;;
    *) answer=failed ;;
  esac
]]

-- Removes the container, even if the engine is still creating it: a client that was killed may have
-- asked for it. So it looks for a container that was never seen for nearly as long as a cleanup
-- command may take.
local REMOVE = [[
name=$1
shift
until=$(($(date +%s) + 8))
while :; do
  said=$("$@" rm -f -v "$name" 2>&1)
  code=$?
]] .. SAID .. [[
  [ $answer = removed ] && exit 0
  [ "$(date +%s)" -lt $until ] || break
  sleep 0.3
done
[ $answer = missing ]
]]

local REMOVE_NOW = [[
name=$1
shift
said=$("$@" rm -f -v "$name" 2>&1)
code=$?
]] .. SAID .. [[
echo $answer
printf %s "$said"
]]

--- Returns the cleanup command of a run, which removes its container.
---@param client string[]
---@param name string
---@return string[]
function M.cleanup(client, name)
  return { '/bin/sh', '-c', REMOVE, 'sh', name, unpack(client) }
end

--- Removes a container now.
---@param client string[]
---@param name string
---@return 'removed'|'missing'|'failed' answer
---@return string? complaint of a failure
function M.remove(client, name)
  local text, problem = command.output { '/bin/sh', '-c', REMOVE_NOW, 'sh', name, unpack(client) }
  local answer, complaint = (text or ''):match '^(%a+)\n(.*)$'
  return answer or 'failed', complaint or problem
end

--- Returns the containers of Gibbous: { { name = ..., run = ..., host = ... } }.
---@param client string[]
---@param label string format of a label in the list of containers, with %s for its name
---@return { name: string, run: string, host: string }[]? list
---@return string? problem
function M.list(client, label)
  local format = ('{{.Names}} %s %s'):format(label:format(M.RUN_LABEL), label:format(M.HOST_LABEL))
  local text, problem = command.output(command.with(client, 'ps', '--all', '--filter',
    'label=' .. M.HOST_LABEL, '--format', format))
  if not text then
    return nil, problem
  end
  local list = {}
  for each in text:gmatch '[^\n]+' do
    local name, id, host = each:match '^(%S+) (%S*) (%S+)$'
    if name then
      list[#list + 1] = { name = name, run = id, host = host }
    end
  end
  return list
end

-- When the engine of each client was last asked.
local tidied_ms = {}

-- Tells whether a run ended so long ago that its cleanup command has ended as well.
local function is_left(container)
  local handle = run.get(container.run)
  local info = handle and handle:info()
  if not info then
    return container.run ~= ''
  end
  return info.ended_ms ~= nil and time.now_ms() - info.ended_ms > CLEANUP_LIMIT_MS
end

--- Removes containers of this host whose runs have ended, at most once in ten seconds: an engine
--- may have been gone, or busy with creating them, when the runs ended.
---@param client string[]
---@param label string as for M.list
---@param host string of this process
function M.tidy(client, label, host)
  local key = table.concat(client, '\n')
  local now = time.monotonic_ms()
  local last = tidied_ms[key]
  if last and now - last < TIDY_EVERY_MS then
    return
  end
  tidied_ms[key] = now
  if not last then
    return -- nothing has ended yet
  end
  for _, container in ipairs(M.list(client, label) or {}) do
    if container.host == host and is_left(container) then
      M.remove(client, container.name)
    end
  end
end

return M
