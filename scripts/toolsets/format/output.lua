-- The output of a run, with notes on what is missing.
local shaped = require 'toolsets.shaped'
local wishes = require 'toolsets.wishes'
local text = require 'toolsets.format.text'

local M = {}

-- Processes that were just forked become the programs that they execute, or end.
local SETTLE_MS = 50

--- Returns a stream under its name, with a note for each part that is missing.
---@param name string
---@param part BgPart|TailResult
---@return string
function M.section(name, part)
  local before, after = '', ''
  local function note(format, gap)
    if gap then
      before = before .. format:format(gap.to - gap.from, name, gap.from, gap.to) .. '\n'
    end
  end
  note('[%d bytes of %s are not kept any more: offsets %d to %d]', part.lost)
  note('[%d bytes of %s left out: offsets %d to %d]', part.gap)
  if part.call then
    before = ('%s[%s before: %s]\n'):format(before, text.count(part.first_line, 'line'), part.call)
  end
  local skipped = part.skipped
  if skipped then
    local way = part.how or ('read them with stream=%s, from=%d'):format(name, skipped.from)
    note('[%d bytes of %s skipped: offsets %d to %d; ' .. way:gsub('%%', '%%%%') .. ']', skipped)
  end
  if part.more then
    local way = part.by_offset and ('stream=%s, from=%d'):format(name, part.to) or 'the same call'
    after = ('[more %s is waiting: read on with %s]\n'):format(name, way)
  end
  return ('[%s]\n%s%s%s'):format(name, before, text.ended(part.text), after)
end

--- Returns the last lines of both streams, or of one, as one text and by name.
---@param handle Run
---@param lines integer of each
---@param options { only?: 'stdout'|'stderr', how?: string, all?: string } how: the way to read
--- lines that do not fit; default: the arguments stream and from; all: the call that reads all
--- lines, where no number of them was asked for
---@return string text
---@return { stdout: string, stderr: string } texts
---@return boolean cut not all these lines fit
function M.tails(handle, lines, options)
  local sections, texts, cut = {}, { stdout = '', stderr = '' }, false
  local info = handle:info()
  local bytes = shaped.output_bytes(info, shaped.MAX_CHARS)
  local share = options.only and { [options.only] = bytes } or shaped.shares(info, bytes)
  for _, stream in ipairs(shaped.STREAMS) do
    if share[stream] then
      local part = handle:tail {
        stream = stream, lines = lines, max_bytes = math.max(1, share[stream]),
      }
      texts[stream] = part.text
      part.skipped, part.gap, part.how = part.gap, nil, options.how
      part.call = not part.skipped and part.first_line > 0 and options.all or nil
      cut = cut or part.skipped ~= nil
      sections[#sections + 1] = M.section(stream, part)
    end
  end
  return table.concat(sections), texts, cut
end

--- Returns a note on the processes that a run on this machine has left behind; '' when none lives.
---
--- Example: `local note = format.left_note(handle, 'they end with this call')`
---@param handle? Run that has ended
---@param fate string what becomes of them
---@return string
function M.left_note(handle, fate)
  local info = handle and handle:info()
  local usage = info and (info.executor or 'host') == 'host' and handle:usage()
  if usage and usage.left_behind then
    time.sleep(SETTLE_MS)
    usage = handle:usage()
  end
  if not (usage and usage.left_behind) then
    return ''
  end
  local ports = {}
  for index, port in ipairs(usage.ports) do
    ports[index] = (', port %d (pid %d)'):format(port.port, port.pid)
  end
  return ('[left behind: %s%s; %s]'):format(usage.left_behind, table.concat(ports), fate)
end

-- Returns why caches could not be changed, as another note, where that is what was refused.
local function cache_note(refusals, handle)
  local sandbox = handle:info().sandbox
  for _, refusal in ipairs(sandbox and sandbox.caches and refusals or {}) do
    if refusal.cache or (refusal.what == 'write' and not refusal.path) then
      return ('[%s]\n'):format(sandbox.caches)
    end
  end
  return ''
end

local COPY_LINKS = '[the workspace is a copy: in it, rename(2) of a directory and hard links to '
  .. 'other places may fail (EXDEV); mv and cp work]\n'

-- Returns notes on the copies of a run: what was thrown away, and why something could not be
-- changed.
local function copies_note(refusals, handle)
  local info = handle:info()
  local sandbox = info.sandbox
  local note = sandbox.thrown_away and ('[%s]\n'):format(sandbox.thrown_away) or ''
  for _, refusal in ipairs(sandbox.copies and refusals or {}) do
    if refusal.what == 'write' then
      return ('%s[%s]\n'):format(note, sandbox.copies)
    end
  end
  if not sandbox.copied or info.state == 'completed' then
    return note
  end
  local output = handle:tail { stream = 'merged', lines = 200 }.text:lower()
  return output:find('cross-device link', 1, true) and note .. COPY_LINKS or note
end

--- Returns a note on what the sandbox refused and what to do about it.
---@param refusals Refusal[] at least one
---@param handle Run
---@return string
function M.refusal_note(refusals, handle)
  local seen, said = {}, ''
  for _, refusal in ipairs(refusals) do
    if refusal.way_out then
      said = ('%s[in the sandbox %s, %s]\n'):format(said, refusal.profile, refusal.way_out)
    else
      seen[#seen + 1] = refusal.path and refusal.what .. ' ' .. refusal.path or refusal.what
    end
  end
  if #seen == 0 then
    return said
  end
  local wanted = wishes.for_refusals(refusals)
  if wanted then
    return ('[the sandbox %s refused: %s. Stay inside what it allows, or start it again with %s, '
      .. 'which asks a person for just that]\n'):format(
        refusals[1].profile, table.concat(seen, ', '), wanted)
      .. cache_note(refusals, handle) .. said
  end
  local note = '[the sandbox %s refused: %s. Stay inside what it allows, or ask the user to start '
    .. 'Gibbous with another --sandbox or to change policies/lib/sandbox.lua]\n'
  return note:format(refusals[1].profile, table.concat(seen, ', ')) .. said
    .. copies_note(refusals, handle)
end

-- How a sandbox's report says that another process has a network for the session, too.
local OTHER_NETWORK = 'in a network of its own'

-- What programs print that lack a token, and what those print that reach or change too little. Most
-- failures are none of these.
local ACCESS = '\\b40[13]\\b|authenti|unauthori|credential|token|passw|api.?key|log ?in\\b|'
  .. 'access denied|secret|environment variable'
local REACH = 'permission|denied|not permitted|not allowed|read-only|refused|unreachable|'
  .. 'no such (file|device|process)|unable to|failed to|cannot (open|connect|access)|timed out'

local function speaks_of(handle, words)
  local found = handle:grep { pattern = '(?i)' .. words, stream = 'merged', max_bytes = 1 }
  return found ~= nil and found.matches > 0
end

--- Returns the note on variables with secrets that a run did not inherit, where it failed and what
--- it prints speaks of access; '' otherwise.
---
--- Example: `local note = format.kept_note(handle)`
---@param handle Run
---@return string
function M.kept_note(handle)
  local info = handle:info()
  local kept = info.state ~= 'completed' and info.sandbox and info.sandbox.withheld
  if not kept or not speaks_of(handle, ACCESS) then
    return ''
  end
  return ('[kept back from this run: %s: name them in its `env` as secrets, or in `pass_env` of '
    .. 'the configuration]'):format(table.concat(kept, ', '))
end

-- The networks that lead to other machines.
local WAY_OUT = { on = true, checked = true }

--- Returns the note on what the sandbox refused to a run, as one line, and on a network that it
--- could not reach. Of one that failed or goes on without a known refusal it says that there is a
--- sandbox, of `build` only where the output speaks of access; '' when there is none, or all went
--- well.
---
--- Example: `local note = format.sandbox_note(handle)`
---@param handle Run
---@return string
function M.sandbox_note(handle)
  local info = handle:info()
  if not info.sandbox then
    return ''
  end
  local refusals = handle:refusals()
  local note = #refusals > 0 and M.refusal_note(refusals, handle) or copies_note(refusals, handle)
  note = note:gsub('\n$', ''):gsub('\n', ' ')
  -- Most commands run in `build`, and fail for reasons of their own.
  local ordinary = (info.profile == 'build' or info.profile == 'fetch')
    and (info.state == 'running' or not speaks_of(handle, REACH))
  if note == '' and info.profile and not ordinary and info.state ~= 'completed'
    and info.state ~= 'killed' then
    note = ('[in the sandbox %s%s]'):format(
      info.profile, not WAY_OUT[info.sandbox.network] and ', without this machine\'s network' or '')
  end
  for _, file in ipairs(info.sandbox.files or {}) do
    note = ('%s[%s of this session lies at %s]'):format(note, file.path, file.at)
  end
  local settings = table.concat(info.sandbox.settings or {}, ', ')
  if settings ~= '' then
    note = ("%s[%s: changed for this session's sandboxes alone, and not kept]"):format(
      note, settings)
  end
  local kept = M.kept_note(handle)
  note = note .. (note ~= '' and kept ~= '' and ' ' or '') .. kept
  for _, gap in ipairs(info.state ~= 'completed' and info.sandbox.unprotected or {}) do
    if gap:find(OTHER_NETWORK, 1, true) then
      note = ('%s%s[%s]'):format(note, note ~= '' and ' ' or '', gap)
    end
  end
  return note
end

return M
