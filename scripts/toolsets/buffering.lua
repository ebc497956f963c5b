-- Programs that keep their output back while their stdout is a pipe, and what makes them write at
-- once. A run of such a program that has shown nothing may have printed long ago.
local M = {}

-- A run is silent once nothing has come from it for so long.
local SILENT_MS = 2000
-- The buffers of C and of these languages are multiples of this: so is what such a program has
-- written by itself.
local BLOCK_BYTES = 4096

-- Each row: patterns of the name of an executable, and the cure. It writes at once already with a
-- flag (the letter `short`, the word `long`), with a `variable` unless one of the letters `ignores`
-- is given, or where an argument contains `by_itself`. `takes`: letters of flags that a value
-- follows. `options_first`: its flags end at its first other argument. `filter`: it prints nothing
-- before it has read its input. `writes_files`: of its own accord.
M.PROGRAMS = {
  {
    programs = { '^python[%d.]*$', '^pypy[%d.]*$' },
    cure = 'python -u', short = 'u', takes = 'cmWX', options_first = true,
    variable = 'PYTHONUNBUFFERED', ignores = 'EI',
    by_itself = 'flush', writes_files = true, -- compiled modules
  },
  { programs = { '^perl[%d.]*$' }, cure = '$| = 1 in the script', by_itself = '$|' },
  { programs = { '^ruby[%d.]*$' }, cure = '$stdout.sync = true', by_itself = 'sync' },
  {
    programs = { '^mawk$' }, cure = 'mawk -W interactive', by_itself = 'interactive', filter = true,
  },
  {
    programs = { '^gawk[%d.-]*$', '^original%-awk$' },
    cure = 'fflush() after print', by_itself = 'fflush', variable = '_STDBUF_O', filter = true,
  },
  {
    programs = { '^[ef]?grep$' }, cure = 'grep --line-buffered', long = '--line-buffered',
    variable = '_STDBUF_O', filter = true,
  },
  {
    programs = { '^sed$' }, cure = 'sed -u', short = 'u', long = '--unbuffered', takes = 'efl',
    variable = '_STDBUF_O', filter = true,
  },
  {
    programs = { '^jq$' }, cure = 'jq --unbuffered', long = '--unbuffered',
    variable = '_STDBUF_O', filter = true,
  },
  {
    programs = { '^tr$', '^cut$', '^uniq$', '^fold$', '^nl$', '^paste$', '^fmt$', '^expand$' },
    cure = 'stdbuf -oL before it', variable = '_STDBUF_O', filter = true,
  },
  {
    programs = { '^lua[%d.]*$', '^luajit.*$' }, cure = "io.stdout:setvbuf 'line'",
    by_itself = 'setvbuf', variable = '_STDBUF_O',
  },
  { programs = { '^tcpdump$' }, cure = 'tcpdump -l', short = 'l', takes = 'BcCDeEFGijmMQrsTVwWyz' },
}

-- Programs that write at once, whatever their stdout is.
M.AT_ONCE = {
  '^bash$', '^dash$', '^zsh$', '^sleep$', '^cat$', '^tee$', '^tail$', '^node$', '^timeout$',
}

local VARIABLES = { '_STDBUF_O', 'PYTHONUNBUFFERED' }

local function contains(list, value)
  for _, each in ipairs(list) do
    if each == value then
      return true
    end
  end
  return false
end

-- Returns true when one of the letters is among the short flags of an argument such as -nu.
local function has_letter(argument, letters, takes)
  for letter in argument:match('^%-(%a*)'):gmatch '.' do
    if letters:find(letter, 1, true) then
      return true
    elseif takes and takes:find(letter, 1, true) then
      return false -- the rest is its value
    end
  end
  return false
end

-- Returns true when the arguments have one of these flags.
local function has_flag(argv, row, letters, long)
  for index = 2, #argv do
    local argument = argv[index]
    local is_flag = argument:sub(1, 1) == '-'
    if argument == '--' or row.options_first and not is_flag then
      return false
    elseif long and argument == long then
      return true
    elseif letters and argument:find '^%-%a' and has_letter(argument, letters, row.takes) then
      return true
    elseif row.options_first and argument:find '^%-%a*[cm]$' then
      return false -- its program follows
    end
  end
  return false
end

local function mentions(argv, text)
  for index = 2, #argv do
    if argv[index]:find(text, 1, true) then
      return true
    end
  end
  return false
end

-- Returns true when the program writes at once, as far as its arguments and variables tell.
local function writes_at_once(row, writer)
  local argv = writer.argv
  if (row.short or row.long) and has_flag(argv, row, row.short, row.long) then
    return true
  elseif row.by_itself and mentions(argv, row.by_itself) then
    return true
  end
  return row.variable ~= nil and contains(writer.variables, row.variable)
    and not (row.ignores and has_flag(argv, row, row.ignores))
end

local function is_one_of(program, patterns)
  for _, pattern in ipairs(patterns) do
    if program:find(pattern) then
      return true
    end
  end
  return false
end

local function row_of(program)
  for _, row in ipairs(M.PROGRAMS) do
    if is_one_of(program, row.programs) then
      return row
    end
  end
end

-- Returns true when nothing of what a process has written shows that it writes as it prints.
local function has_shown_nothing(row, writer, info)
  if writer.direct and info.stdout.bytes == 0 and row.writes_files then
    return true
  elseif not writer.written_bytes then
    return info.stdout.bytes == 0
  end
  local others = writer.direct and info.stderr.bytes or 0
  return math.max(0, writer.written_bytes - others) % BLOCK_BYTES == 0
end

-- Returns true when a filter waits for the run's own stdin: it has nothing to print yet. Of a run
-- that has ended, only who wrote its stdin is known.
local function waits_for_input(handle, row, writer, has_ended)
  if has_ended then
    return row.filter ~= nil and not writer.fed
  end
  local usage = row.filter and handle:usage()
  local waiting = usage and usage.waiting_for_input
  return waiting ~= nil and waiting ~= false and waiting.pid == writer.pid
end

--- Returns true when a run was ended because it was silent for its idle limit.
---
--- Example: `if buffering.ended_silent(handle:info()) then return end`
---@param info RunInfo
---@return boolean
function M.ended_silent(info)
  return info.ended_ms ~= nil and info.limit ~= nil and info.limit.name == 'idle'
end

-- Returns a line when a signal has stopped all processes of a run that goes on, else nil.
local function stopped_note(handle, info)
  if info.state ~= 'running' or (info.idle_ms or 0) < SILENT_MS then
    return nil
  end
  local usage = handle:usage()
  local stopped = usage and usage.stopped
  if not stopped or stopped < usage.processes then
    return nil
  end
  return ('[stopped by a signal, %s: SIGCONT continues it]'):format(
    stopped == 1 and 'its only process' or ('all %d processes'):format(stopped))
end

--- Returns a line that says which program of a silent run keeps its output back, and the cure; ''
--- where none is known to. A run that its silence has ended counts, too. A second result is true
--- when every program of the run is known to write at once.
---
--- Example: `local note = buffering.note(handle)`
---@param handle Run
---@return string note
---@return boolean? all_at_once
function M.note(handle)
  local info = handle:info()
  if not info or not info.started_ms then
    return ''
  end
  local stopped = stopped_note(handle, info)
  if stopped then
    return stopped, false
  end
  if info.pty then
    return ''
  end
  local has_ended = info.ended_ms ~= nil
  if has_ended and not M.ended_silent(info) then
    return ''
  end
  local writers = handle:writers { variables = VARIABLES } or {}
  local all_at_once = #writers > 0
  for _, writer in ipairs(writers) do
    local row = row_of(writer.program)
    local at_once = is_one_of(writer.program, M.AT_ONCE)
      or row ~= nil and writes_at_once(row, writer)
    all_at_once = all_at_once and at_once
    local is_silent = has_ended or (info.idle_ms or 0) >= SILENT_MS
    if row and not at_once and is_silent and has_shown_nothing(row, writer, info)
      and not waits_for_input(handle, row, writer, has_ended) then
      return ('[%s keeps its output back while it writes to a pipe: %s, or pty=true, shows it at '
        .. 'once]'):format(writer.program, row.cure)
    end
  end
  return '', all_at_once
end

--- The line of `note`, or nil; for data that lack it then.
---@param handle Run
---@return string?
function M.hint(handle)
  local note = M.note(handle)
  return note ~= '' and note or nil
end

--- What `hint` is called in the data of tools.
M.FIELD = schema.string { optional = true, description = 'Why it is silent, and the cure' }

return M
