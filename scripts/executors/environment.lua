-- Passes the variables of a run through a client that must not obey them. The client gets them
-- under other names that nothing obeys, and never on its command line, which every user can read.
local defaults = require('toolsets.environment').WITHOUT_TERMINAL

local M = {}

local NAME = '^[%a_][%w_]*$'
local PREFIX = 'GIBBOUS_VARIABLE_'
local TEXT = 'GIBBOUS_VARIABLES'

-- Variables that a client, or a library in it, may obey.
local OBEYED = {
  '^LD_', '^DYLD_', '^DOCKER', '^CONTAINER', '^PODMAN', '^BUILDAH', '^REGISTRY', '^STORAGE_',
  '^GO', '^XDG_', '^SSL_', '^SSH_', '^DBUS_', '^LISTEN_', '^NOTIFY_', '^MALLOC', '^GLIBC_',
  '^GCONV', '^LOC', '^NLS', '^LC_', '^RES_', '^HOST', '^TMP', '^GIBBOUS_', '_PROXY$', '_proxy$',
}
local OBEYED_NAMES = {
  PATH = true, HOME = true, IFS = true, ENV = true, BASH_ENV = true, LANG = true, TZ = true,
  TZDIR = true, USER = true, SHELL = true, PWD = true,
}

-- Sets the variables again, and goes on to the command: the words are names, '--', the command.
local RESTORE = [[
while [ "$1" != -- ]; do
  eval "$1=\$]] .. PREFIX .. [[$1; export $1"
  unset "]] .. PREFIX .. [[$1"
  shift
done
shift
exec "$@"
]]

-- Gives the client the lines of one variable as descriptor 3, a file that is on no disk.
local WITH_FILE = [[
text=$]] .. TEXT .. '\nunset ' .. TEXT .. [[

exec "$@" 3<<END
$text
END
]]

--- Returns the names of variables, sorted. Refuses an invalid name, which clients would misread.
---@param env table<string, string>
---@return string[]
function M.names(env)
  local names = {}
  for name in pairs(env) do
    if not name:find(NAME) then
      local problem = 'env: %q is not the name of a variable; use letters, digits and _'
      tool.error('invalid_arguments', problem:format(name))
    end
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- Returns the defaults among variables, which are no secrets and which no client obeys, and the
--- others.
---
--- Example: `local plain, rest = environment.split(spec.env)`
---@param env table<string, string>
---@return table<string, string> plain
---@return table<string, string> rest
function M.split(env)
  local plain, rest = {}, {}
  for name, value in pairs(env) do
    local to = defaults[name] == value and plain or rest
    to[name] = value
  end
  return plain, rest
end

--- Returns the command for a client that passes its own environment on, and the environment for
--- that client. Inside, /bin/sh sets the variables.
---
--- Example: `local words, env = environment.inside(words, spec.env)`
---@param words string[]
---@param env table<string, string>
---@return string[] words
---@return table<string, string> env of the client
---@return string[] names of that
function M.inside(words, env)
  local passed, rest = M.split(env)
  local names = M.names(rest)
  local restored = { '/bin/sh', '-c', RESTORE, 'sh' }
  for _, name in ipairs(names) do
    passed[PREFIX .. name] = rest[name]
    restored[#restored + 1] = name
  end
  restored[#restored + 1] = '--'
  for _, word in ipairs(words) do
    restored[#restored + 1] = word
  end
  return #names == 0 and words or restored, passed, M.names(passed)
end

--- Returns a word as a shell reads it.
---
--- Example: `environment.quote("it's")  -- 'it'\''s'`
---@param word string
---@return string
function M.quote(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

--- Returns shell lines that set variables.
---@param env table<string, string>
---@return string
function M.lines(env)
  local lines = {}
  for index, name in ipairs(M.names(env)) do
    lines[index] = ('%s=%s\nexport %s\n'):format(name, M.quote(env[name]), name)
  end
  return table.concat(lines)
end

-- An engine's client reads a file line by line, with at most 64 KiB a line.
local MAX_LINE_BYTES = 60000

local function is_obeyed(name)
  for _, pattern in ipairs(OBEYED) do
    if name:find(pattern) then
      return true
    end
  end
  return OBEYED_NAMES[name] ~= nil
end

---How an engine's client gets the variables of a run.
---@class ClientVariables
---@field options string[] of `run`
---@field env table<string, string> of the client
---@field wrap fun(argv: string[]): string[] the client with its file

--- Passes the variables of a run to an engine's client in a file. Values that do not fit on a line
--- go through the client's environment, if the client does not obey the name. Refuses the rest.
---@param env table<string, string>
---@return ClientVariables
function M.for_client(env)
  local lines, passed, options = {}, {}, {}
  for _, name in ipairs(M.names(env)) do
    local value = env[name]
    if not value:find '[\r\n]' and #value < MAX_LINE_BYTES then
      lines[#lines + 1] = name .. '=' .. value
    elseif is_obeyed(name) then
      tool.error('invalid_arguments', ('env.%s: the client itself would obey a value of several '
        .. 'lines or more than %d bytes; set it in the command'):format(name, MAX_LINE_BYTES))
    else
      passed[name] = value
      options[#options + 1] = '--env'
      options[#options + 1] = name
    end
  end
  if #lines == 0 then
    return { options = options, env = passed, wrap = function(argv) return argv end }
  end
  options[#options + 1] = '--env-file'
  options[#options + 1] = '/dev/fd/3'
  passed[TEXT] = table.concat(lines, '\n')
  return {
    options = options, env = passed,
    wrap = function(argv) return { '/bin/sh', '-c', WITH_FILE, 'sh', unpack(argv) } end,
  }
end

return M
