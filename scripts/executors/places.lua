-- Paths of this machine for executors: what exists, what lies below what, and what the sandbox
-- profile of a start lets a command change and see.
local command = require 'executors.command'

local M = {}

-- Prints a letter for each path (d: directory, r: one that this user cannot write, f: other file,
-- -: missing), then the existing paths with symbolic links resolved.
local LOOK = [[
[ "$1" = '' ] || command -v -- "$1" >/dev/null || exit 3
shift
for path do
  shift
  kind=-
  [ ! -e "$path" ] || kind=f
  [ ! -d "$path" ] || { kind=d; [ -w "$path" ] || kind=r; }
  printf %s $kind
  [ $kind = - ] || set -- "$@" "$path"
done
echo
[ $# -eq 0 ] || readlink -f -- "$@"
]]

--- Tells whether a path is a directory or lies below it.
---@param path string absolute
---@param directory string absolute
---@return boolean
function M.is_below(path, directory)
  return path == directory or directory == '/'
    or path:sub(1, #directory + 1) == directory:gsub('/$', '') .. '/'
end

--- Tells whether a path is one of the directories or lies below one.
---@param path string absolute
---@param directories string[] absolute
---@return boolean
function M.is_below_any(path, directories)
  for _, directory in ipairs(directories) do
    if M.is_below(path, directory) then
      return true
    end
  end
  return false
end

--- Returns an absolute path without '.', '..' and double slashes; it resolves no links.
---
--- Example: `places.normal '/srv/a/../b/' == '/srv/b'`
---@param path string absolute
---@return string
function M.normal(path)
  local parts = {}
  for part in path:gmatch '[^/]+' do
    if part == '..' then
      parts[#parts] = nil
    elseif part ~= '.' then
      parts[#parts + 1] = part
    end
  end
  return '/' .. table.concat(parts, '/')
end

--- Looks up paths of this machine. Refuses when the program does not exist.
---@param program string name or path
---@param paths string[] absolute; what has a line end in it counts as missing
---@return { kind: 'directory'|'file'|'missing', path: string, read_only?: boolean }[] found in the
---order of `paths`; `path` is without symbolic links; `read_only`: a directory that this user
---cannot write
function M.look(program, paths)
  local asked, index_of = {}, {}
  local found = {}
  for index, path in ipairs(paths) do
    found[index] = { kind = 'missing', path = path }
    if not path:find '[\r\n]' then
      asked[#asked + 1] = path
      index_of[#asked] = index
    end
  end
  local text, problem = command.output { '/bin/sh', '-c', LOOK, 'sh', program, unpack(asked) }
  if not text then
    if problem == 'exit code 3' then
      tool.error('start_failed', ('program: there is no %s on this machine; install it, or name '
        .. 'its path in the settings'):format(program))
    end
    tool.error('executor_failed', 'cannot look at paths of this machine: ' .. problem)
  end
  local kinds, real = text:match '^([^\n]*)\n(.*)$'
  local next_path = real:gmatch '([^\n]*)\n'
  for index = 1, #asked do
    local kind = kinds:sub(index, index)
    if kind ~= '-' then
      found[index_of[index]] = {
        kind = kind == 'f' and 'file' or 'directory', path = next_path() or asked[index],
        read_only = kind == 'r' or nil,
      }
    end
  end
  return found
end

-- Returns the existing paths that do not lie below another one, parents first.
local function outermost(list)
  table.sort(list, function(a, b) return a.path < b.path end)
  local kept = {}
  for _, each in ipairs(list) do
    local last = kept[#kept]
    if not last or not M.is_below(each.path, last.path) then
      kept[#kept + 1] = each
    end
  end
  return kept
end

-- Returns the directory of each path.
local function around_each(paths)
  local directories = {}
  for index, path in ipairs(paths) do
    directories[index] = path:match '^(.+)/[^/]+/*$' or '/'
  end
  return directories
end

-- Returns the pinned places, parents first, with the directories above them and above what must
-- stay as it is, as far as they lie in `write`: who moves such a directory has moved all in it.
local function with_directories_above(pinned, unwritable, write)
  local all, seen, is_tree = {}, {}, {}
  for _, tree in ipairs(write) do
    is_tree[tree] = true
  end
  local function add(place)
    if not seen[place.path] then
      seen[place.path] = true
      all[#all + 1] = place
    end
  end
  for _, list in ipairs { pinned, unwritable } do
    for _, each in ipairs(list) do
      local above = each.path:match '^(.+)/[^/]+$'
      while above and not is_tree[above] and M.is_below_any(above, write) do
        add { kind = 'directory', path = above }
        above = above:match '^(.+)/[^/]+$'
      end
    end
  end
  for _, each in ipairs(pinned) do
    add(each)
  end
  table.sort(all, function(a, b) return a.path < b.path end)
  return all
end

-- The lists of M.profile in which a missing path stays.
local ALL = { [1] = true, [6] = true, [7] = true }

---What the profile of a start says of paths that are there.
---@class ProfilePlaces
---@field name string of the profile
---@field write string[] may be changed
---@field unreadable { kind: string, path: string }[] none below another one
---@field unwritable { kind: string, path: string }[] in `write`, must stay as they are
---@field pinned { kind: string, path: string }[] in `write`, must not be moved or removed

--- Reads the profile of a start, and looks up the program and further paths on the way.
---@param spec ExecutorSpec
---@param program string that must be there
---@param more? string[] absolute
---@return ProfilePlaces? profile nil: the start has none
---@return { kind: string, path: string }[] more
function M.profile(spec, program, more)
  local sandbox = spec.sandbox
  local lists = { more or {} }
  if sandbox then
    lists = {
      more or {}, sandbox.write, sandbox.unreadable, sandbox.unwritable, sandbox.pinned,
      sandbox.occupied, around_each(sandbox.occupied),
    }
  end
  local paths = {}
  for _, list in ipairs(lists) do
    command.add(paths, unpack(list))
  end
  local found = M.look(program, paths)
  local at = 0
  local answers = {}
  for index, list in ipairs(lists) do
    answers[index] = {}
    for _ = 1, #list do
      at = at + 1
      if ALL[index] or found[at].kind ~= 'missing' then
        answers[index][#answers[index] + 1] = found[at]
      end
    end
  end
  if not sandbox then
    return nil, answers[1]
  end
  local write = {}
  for _, each in ipairs(answers[2]) do
    write[#write + 1] = each.path
  end
  local unwritable = answers[4]
  for index, each in ipairs(answers[6]) do
    local around = answers[7][index]
    if each.kind ~= 'missing' then
      unwritable[#unwritable + 1] = each
    elseif around.kind == 'directory' and around.read_only then
      unwritable[#unwritable + 1] = around -- who has more rights in a container makes nothing there
    elseif around.kind == 'directory' then
      -- The keeper holds it from before the program starts.
      unwritable[#unwritable + 1] = {
        kind = each.path:sub(-1) == '/' and 'directory' or 'file',
        path = around.path .. '/' .. each.path:match '([^/]+)/*$',
      }
    end
  end
  unwritable = outermost(unwritable)
  return {
    name = sandbox.profile, write = write, unreadable = outermost(answers[3]),
    unwritable = unwritable, pinned = with_directories_above(answers[5], unwritable, write),
  }, answers[1]
end

return M
