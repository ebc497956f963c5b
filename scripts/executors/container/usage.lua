-- What a container costs, as its engine counts it. For processes the engine knows only the number
-- of threads; for memory it knows the container's charge, without cached files.
local command = require 'executors.command'

local M = {}

-- HTTP 1.0, so that the answer is not chunked.
local REQUEST = 'GET /containers/%s/stats?stream=false&one-shot=true HTTP/1.0\r\n'
  .. 'Host: engine\r\n\r\n'
local FOUND = '200'
local NOT_FOUND = '404'
local NANOS_PER_MILLI = 1000000

local BYTES = {
  B = 1, kB = 1e3, KB = 1e3, MB = 1e6, GB = 1e9, TB = 1e12,
  KiB = 2 ^ 10, MiB = 2 ^ 20, GiB = 2 ^ 30, TiB = 2 ^ 40,
}
local MILLIS = { h = 3600000, m = 60000, s = 1000, ms = 1, ['µs'] = 1e-3, us = 1e-3, ns = 1e-6 }

-- '12.3MiB / 1GiB': the first of the two. Nothing for '--', which stands for what is not known.
local function bytes_of(text)
  local number, unit = text:match '^([%d.]+)%s*(%a+)'
  local amount = tonumber(number)
  return amount and BYTES[unit] and math.floor(amount * BYTES[unit])
end

-- '1h2m3.5s'
local function millis_of(text)
  local sum
  for number, unit in text:gmatch '([%d.]+)([^%d.]+)' do
    local amount = tonumber(number)
    if not amount or not MILLIS[unit] then
      return nil
    end
    sum = (sum or 0) + amount * MILLIS[unit]
  end
  return sum
end

local function percent_of(text)
  return tonumber(text:match '^([%d.]+)%%$')
end

--- Parses the JSON of `stats`: docker writes an object, podman a list.
---@param text string
---@return ExecutorUsage? usage
function M.read_stats(text)
  local said = json.decode(text)
  said = type(said) == 'table' and (said[1] or said) or {}
  local usage = {
    processes = tonumber(said.PIDs or said.pids),
    rss_bytes = bytes_of(said.MemUsage or said.mem_usage or ''),
    cpu_time_ms = millis_of(said.cpu_time or ''),
  }
  if not usage.cpu_time_ms then
    usage.cpu_percent = percent_of(said.CPUPerc or said.cpu_percent or '')
  end
  local known = usage.processes and usage.rss_bytes and (usage.cpu_time_ms or usage.cpu_percent)
  return known and usage
end

--- Measures with the client's `stats`. docker's takes two seconds, because it samples twice.
---@param state { client: string[], name: string }
---@param format string that makes it write JSON
---@return ExecutorUsage? usage
function M.by_stats(state, format)
  local text = command.output(command.with(state.client, 'stats', '--no-stream', '--format',
    format, state.name))
  return text and M.read_stats(text)
end

-- A container that is not running has no counters.
local function read_counters(stats)
  local memory = stats.memory_stats or {}
  local processes = stats.pids_stats and stats.pids_stats.current
  if not processes or not memory.usage then
    return nil
  end
  local details = memory.stats or {}
  local cached = details.total_inactive_file or details.inactive_file or 0
  return {
    processes = processes,
    rss_bytes = math.max(0, memory.usage - cached),
    cpu_time_ms = math.floor(stats.cpu_stats.cpu_usage.total_usage / NANOS_PER_MILLI),
  }
end

--- Asks docker's engine for the container's counters over the connection that the client offers to
--- other programs, such as its ssh transport. So contexts and remote engines work, and the answer
--- comes at once.
---@param state { client: string[], name: string }
---@return boolean answered false: this client or engine cannot be asked so
---@return ExecutorUsage? usage
function M.by_counters(state)
  local argv = command.with(state.client, 'system', 'dial-stdio')
  local text = command.output(argv, nil, REQUEST:format(state.name))
  local status, body = (text or ''):match '^HTTP/%d%.%d (%d+).-\n\n(.*)$' -- without its \r
  if status ~= FOUND then
    return status == NOT_FOUND
  end
  return true, read_counters(json.decode(body) or {})
end

return M
