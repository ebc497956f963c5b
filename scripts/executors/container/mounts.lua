-- What a container sees of this machine: the workspace at its own path, and the volumes, both
-- limited by the sandbox profile of the start.
local command = require 'executors.command'
local places = require 'executors.places'

local M = {}

local NOT_MOUNTABLE = '[,"%c]' -- engines separate the values of a mount by commas

local function refuse(format, ...)
  tool.error('invalid_arguments', format:format(...))
end

local function add_bind(words, source, target, read_only)
  for _, path in ipairs { source, target } do
    if path:find(NOT_MOUNTABLE) then
      refuse('%q: the engine cannot mount a path with a comma, a quote or a control character; '
        .. 'rename it', path)
    end
  end
  command.add(words, '--mount', ('type=bind,source=%s,target=%s%s'):format(source, target,
    read_only and ',readonly' or ''))
end

-- Returns the mounts that protect paths below a mounted directory from being changed, moved or
-- seen.
local function add_exceptions(words, profile, source, target, read_only)
  local function each_below(list, add)
    for _, each in ipairs(list) do
      if each.path ~= source and places.is_below(each.path, source) then
        add(each, target:gsub('/$', '') .. each.path:sub(source == '/' and 1 or #source + 1))
      end
    end
  end
  local hidden = {}
  for index, each in ipairs(profile.unreadable) do
    hidden[index] = each.path
  end
  local function bind_as(is_read_only)
    return function(each, inner)
      if not places.is_below_any(each.path, hidden) then
        add_bind(words, each.path, inner, is_read_only)
      end
    end
  end
  if not read_only then
    local fixed = {}
    for _, each in ipairs(profile.unwritable) do
      fixed[each.path] = true
    end
    each_below(profile.pinned, function(each, inner)
      if not fixed[each.path] then
        bind_as(false)(each, inner) -- a mount cannot be moved
      end
    end)
    each_below(profile.unwritable, bind_as(true))
  end
  each_below(profile.unreadable, function(each, inner)
    if each.kind == 'directory' then
      if inner:find(NOT_MOUNTABLE) then
        refuse('%q: the engine cannot cover this path, which the profile hides; rename it', inner)
      end
      command.add(words, '--mount', ('type=tmpfs,target=%s,%s'):format(inner, profile.tmpfs))
    else
      add_bind(words, '/dev/null', inner, true)
    end
  end)
end

local function paths_of(list)
  local paths = {}
  for index, each in ipairs(list) do
    paths[index] = each.path
  end
  return paths
end

local function may_write(profile, path)
  return places.is_below_any(path, profile.write)
    and not places.is_below_any(path, paths_of(profile.unwritable))
end

local function check_workspace(spec, cwd, found)
  if spec.workspace:find(NOT_MOUNTABLE) then
    refuse('workspace: the engine cannot mount a path with a comma, a quote or a control character')
  end
  if not places.is_below(cwd, spec.workspace) then
    refuse('cwd: %s is not below the workspace %s, which is what the container sees', cwd,
      spec.workspace)
  end
  if found.kind ~= 'directory' then
    refuse('cwd: there is no directory %s; make it first', cwd)
  end
end

-- Parses SOURCE:TARGET:OPTIONS, the engines' syntax.
local function split(volume)
  local parts = {}
  for part in (volume .. ':'):gmatch '([^:]*):' do
    parts[#parts + 1] = part
  end
  return parts[1], parts[2], parts[3]
end

local function read_only_of(options)
  local kept = { 'ro' }
  for option in (options or ''):gmatch '[^,]+' do
    if option ~= 'rw' and option ~= 'ro' then
      kept[#kept + 1] = option
    end
  end
  return table.concat(kept, ',')
end

-- Limits a volume to what the profile gives of this machine.
local function add_volume(words, profile, field, volume, found)
  local source, target, options = split(volume)
  if not target or source:sub(1, 1) ~= '/' then
    if target and source:find '^[.~]' then
      refuse('%s: expected an absolute SOURCE, got %s', field, source)
    end
    -- A named or anonymous volume of the engine.
    command.add(words, '--volume', volume)
    return
  end
  if found.kind == 'missing' then
    refuse('%s: there is no %s on this machine; make it first', field, source)
  end
  if places.is_below_any(found.path, paths_of(profile.unreadable)) then
    refuse('%s: the profile %s hides %s', field, profile.name, source)
  end
  if found.path:find ':' then
    refuse('%s: the engine cannot mount a path with a colon', field)
  end
  local read_only = not may_write(profile, found.path)
  if read_only then
    options = read_only_of(options)
  end
  local stays = (',' .. (options or '') .. ','):find(',ro,', 1, true) ~= nil
  command.add(words, '--volume', table.concat({ found.path, target, options }, ':'))
  add_exceptions(words, profile, found.path, places.normal(target), stays)
end

local function source_of(volume)
  local source, target = split(volume)
  return target and source:sub(1, 1) == '/' and source or '/'
end

--- Adds the options of `run` that mount the workspace and the volumes. Refuses what cannot be
--- mounted, and a client that does not exist.
---@param words string[]
---@param spec ExecutorSpec
---@param program string the client
---@param tmpfs string how the engine says of a tmpfs that it is read-only and empty
function M.add(words, spec, program, tmpfs)
  local settings = spec.settings
  local volumes = settings.volumes or {}
  local cwd = places.normal(spec.cwd)
  local asked = { cwd }
  for _, volume in ipairs(volumes) do
    asked[#asked + 1] = source_of(volume)
  end
  local profile, found = places.profile(spec, program, asked)
  if profile then
    profile.tmpfs = tmpfs
  end
  if settings.workspace ~= 'none' then
    check_workspace(spec, cwd, found[1])
    local read_only = settings.workspace == 'ro'
      or profile ~= nil and not may_write(profile, spec.workspace)
    add_bind(words, spec.workspace, spec.workspace, read_only)
    if profile then
      add_exceptions(words, profile, spec.workspace, spec.workspace, read_only)
    end
    command.add(words, '--workdir', cwd)
  end
  for index, volume in ipairs(volumes) do
    if profile then
      add_volume(words, profile, ('volumes[%d]'):format(index), volume, found[index + 1])
    else
      command.add(words, '--volume', volume)
    end
  end
end

return M
