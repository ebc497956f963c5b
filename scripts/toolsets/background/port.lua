-- The `ports` of run_background, and where they can be reached. Containers map ports; a run on this
-- machine has them where it listens; other executors map none.
local format = require 'toolsets.format'

local M = {}

local MAX_PORT = 65535

---@class AskedPort
---@field text string as it was given
---@field port integer
---@field wanted? integer the port of this machine that should lead to it

--- Parses the argument `ports` and drops duplicates. Ends the call with invalid_arguments.
---
--- Example: `local asked = background_port.parse { '3000', '8080:80' }`
---@param texts? string[]
---@return AskedPort[]
function M.parse(texts)
  local asked, seen = {}, {}
  for index, text in ipairs(texts or {}) do
    local host, port = text:match '^(%d*):?(%d+)$'
    if not text:find(':', 1, true) then
      host, port = '', text
    end
    local wanted = tonumber(host)
    port = tonumber(port)
    if port < 1 or port > MAX_PORT or (wanted and (wanted < 1 or wanted > MAX_PORT)) then
      tool.error('invalid_arguments', ('args.ports[%d]: expected "PORT" or "HOST_PORT:PORT", each '
        .. '1 to %d, got "%s"'):format(index - 1, MAX_PORT, text))
    end
    if not seen[port] then
      asked[#asked + 1] = { text = text, port = port, wanted = wanted }
      seen[port] = asked[#asked]
    elseif wanted and wanted ~= seen[port].wanted then
      tool.error('invalid_arguments', ('args.ports[%d]: port %d is there already, as "%s"; give it '
        .. 'once'):format(index - 1, port, seen[port].text))
    end
  end
  return asked
end

--- Returns the ports in the form that run.start takes.
---
--- Example: `options.ports = background_port.texts(asked)`
---@param asked AskedPort[]
---@return string[]? texts nil when there are none
function M.texts(asked)
  local texts = {}
  for index, each in ipairs(asked) do
    texts[index] = each.text
  end
  return #texts > 0 and texts or nil
end

--- Returns the ports that another process of this machine already listens on, with its pid if
--- known.
---
--- Example: `local taken = background_port.taken(asked)`
---@param asked AskedPort[]
---@return table<integer, integer|true> taken
function M.taken(asked)
  local taken = {}
  for _, each in ipairs(asked) do
    local answer = wait { any = { wait.port(each.port) }, timeout_ms = 0 }
    if answer and answer.ok then
      taken[each.port] = answer.fired[1].pid or true
    end
  end
  return taken
end

-- Describes the ports of a run on this machine, where the process listens itself.
local function here(asked, taken)
  local ports, notes = {}, {}
  for index, each in ipairs(asked) do
    local port = each.port
    ports[index] = { port = port, host = port }
    local note = ('%d is port %d of this machine'):format(port, port)
    if each.wanted and each.wanted ~= port then
      ports[index].wanted = each.wanted
      note = ('%s, not %d: only a container maps ports'):format(note, each.wanted)
    end
    if taken[port] then
      ports[index].taken = true
      local by = taken[port] ~= true and ('pid %d'):format(taken[port]) or 'another process'
      note = ('%s (taken: %s listens on it already)'):format(note, by)
    end
    notes[index] = note
  end
  return ports, '\nPorts: ' .. table.concat(notes, ', ')
end

--- Returns where the ports of a run can be reached, as data and as a note.
---
--- Example: `local mapped, note = background_port.of_run(info, asked, taken)`
---@param info RunInfo
---@param asked AskedPort[]
---@param taken table<integer, integer|true> from before it started
---@return table[]? ports
---@return string note
function M.of_run(info, asked, taken)
  if info.ports or #asked == 0 then
    return info.ports, format.ports_note(info)
  end
  if not info.executor or info.executor == 'host' then
    return here(asked, taken)
  end
  return nil, ('\nPorts: the executor %s maps none; they are where the process listens'):format(
    info.executor)
end

--- Returns the port as the run itself knows it, which is what a wait for this run takes. Ends the
--- call with invalid_arguments when the run maps ports and this is none of them, because another
--- program may listen there.
---
--- Example: `local port = background_port.own(info, 8080)`
---@param info RunInfo
---@param wanted integer as the run has it, or the one of this machine that leads to it
---@return integer port
function M.own(info, wanted)
  local known = {}
  for index, mapping in ipairs(info.ports or {}) do
    if mapping.port == wanted then
      return wanted
    end
    known[index] = ('%d (mapped from %d)'):format(mapping.port, mapping.host)
  end
  for _, mapping in ipairs(info.ports or {}) do
    if mapping.host == wanted then
      return mapping.port
    end
  end
  if #known > 0 then
    tool.error('invalid_arguments', ('args.port: %d is no port of process %s; it has %s'):format(
      wanted, info.id, table.concat(known, ', ')))
  end
  return wanted
end

return M
