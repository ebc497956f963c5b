-- A small deny list that protects the machine, in every mode. It looks at the words of a command
-- only (see words.lua for how little that is): a seat belt against accidents, no defence against
-- intent.
local words = require 'rules.words'

local M = {}

local SYSTEM_ROOTS = words.set [[/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt
  /proc /root /run /sbin /srv /sys /usr /usr/bin /usr/lib /usr/local /usr/sbin /usr/share /var
  /var/lib /Users /System /Library]]
local HOMES = words.set '~ $HOME ${HOME}'
local STOPS = words.set 'shutdown reboot poweroff halt'
local SYSTEMCTL_STOPS = words.set 'poweroff reboot halt kexec soft-reboot rescue emergency'
local MAX_NAME = 64
local DISKS = {
  '^sd%a', '^hd%a', '^vd%a', '^xvd%a', '^nvme', '^mmcblk', '^disk/', '^mapper/', '^md%d', '^dm%-',
  '^loop%d', '^mem$', '^kmem$', '^port$',
}

-- A path without doubled or trailing slashes, without . and .. as far as the words tell.
local function normalize(path)
  local kept = {}
  for part in path:gmatch('[^/]+') do
    if part == '..' then
      kept[#kept] = nil
    elseif part ~= '.' then
      kept[#kept + 1] = part
    end
  end
  return (path:sub(1, 1) == '/' and '/' or '') .. table.concat(kept, '/')
end

-- /, /usr, ~, and all that is directly in one of them.
local function is_root(word)
  local path = normalize(word)
  local above = path:match('^(.*)/%.?%*+$')
  if above then
    path = above == '' and '/' or above
  end
  return SYSTEM_ROOTS[path] or HOMES[path] or path:match('^~%w+$') ~= nil
end

local function is_disk(word)
  local device = normalize(word):match('^/dev/(.+)$')
  if not device then
    return false
  end
  for _, pattern in ipairs(DISKS) do
    if device:match(pattern) then
      return true
    end
  end
  return false
end

local function any(list, test)
  for _, word in ipairs(list) do
    if test(word) then
      return true
    end
  end
  return false
end

local function is_recursive_option(word)
  return word == '--recursive' or word:match('^%-%a*[rR]') ~= nil
end

local function is_recursive_on_root(command)
  return any(command.arguments, is_recursive_option) and any(command.arguments, is_root)
end

--- Each rule: an id for logs, what a person should know, and a test of one command.
M.RULES = {
  {
    id = 'machine.remove_root',
    reason = 'Removing a system or home directory recursively would destroy this machine: '
      .. 'name the directory inside your workspace that is to go.',
    test = function(command)
      if command.program == 'rm' then
        return is_recursive_on_root(command)
      end
      return command.program == 'find'
        and any(command.arguments, function(word)
          return word == '-delete'
        end)
        and is_root(command.arguments[1])
    end,
  },
  {
    id = 'machine.permissions_root',
    reason = 'Changing owner or permissions of a system or home directory recursively breaks this '
      .. 'machine: name the directory inside your workspace.',
    test = function(command)
      local program = command.program
      return (program == 'chmod' or program == 'chown' or program == 'chgrp')
        and is_recursive_on_root(command)
    end,
  },
  {
    id = 'machine.make_filesystem',
    reason = 'Making a file system or wiping its signatures destroys what is on the disk: '
      .. 'ask a person to do it.',
    test = function(command)
      local program = command.program
      return program:match('^mkfs') ~= nil or program == 'wipefs' or program == 'mkswap'
    end,
  },
  {
    id = 'machine.write_disk',
    reason = 'Writing to a disk device destroys what is on it: write to a file in your workspace.',
    test = function(command)
      if any(command.targets, is_disk) then
        return true
      end
      if command.program == 'tee' or command.program == 'shred' then
        return any(command.arguments, is_disk)
      end
      return command.program == 'dd'
        and any(command.arguments, function(word)
          return is_disk(word:match('^of=(.+)$') or '')
        end)
    end,
  },
  {
    id = 'machine.stop',
    reason = 'Stopping or restarting the machine ends everybody\'s work: ask a person to do it.',
    test = function(command)
      local program, arguments = command.program, command.arguments
      if program == 'init' or program == 'telinit' then
        return (arguments[1] or ''):match('^[016sS]$') ~= nil
      end
      local stops = function(word)
        return SYSTEMCTL_STOPS[word]
      end
      return STOPS[program] or program == 'systemctl' and any(arguments, stops)
    end,
  },
  {
    id = 'machine.kill_all',
    reason = 'This would end every process that you may signal, this one included: '
      .. 'name the process, or use bg_kill.',
    test = function(command)
      local arguments = command.arguments
      return command.program == 'killall5'
        or command.program == 'kill' and arguments[#arguments] == '-1'
    end,
  },
}

local FORK_BOMB = {
  id = 'machine.fork_bomb',
  reason = 'A function that starts itself twice takes the machine down: '
    .. 'start the processes that you need by name.',
  test = function(line)
    -- name(){name|name&};name, with any name and any spaces.
    local compact = line:gsub('%s', '')
    local at = compact:find('(){', 1, true)
    while at do
      local name = compact:sub(math.max(1, at - MAX_NAME), at - 1):match('[%w_:.]+$')
      local body = name and ('(){%s|%s&};'):format(name, name)
      if body and compact:sub(at, at + #body - 1) == body then
        return true
      end
      at = compact:find('(){', at + 1, true)
    end
    return false
  end,
}

local function refuse(rule)
  return { decision = 'deny', reason = rule.reason, rule = rule.id, where = rule.test }
end

--- Gives the refusal of an effect that would harm the machine, or nil.
---
--- Example: `machine.judge({ kind = 'start', command = 'rm -rf /' }).rule`
---@param effect Effect
---@return Verdict?
function M.judge(effect)
  local line, argv
  if effect.kind == 'start' then
    line, argv = effect.command, effect.argv
  elseif effect.kind == 'stdin' and words.is_shell(effect.command or '') then
    line = effect.text -- a shell takes its input for commands
  end
  if not line and not argv then
    return nil
  end
  if FORK_BOMB.test(line or table.concat(argv, ' ')) then
    return refuse(FORK_BOMB)
  end
  for _, command in ipairs(words.commands(line, argv)) do
    for _, rule in ipairs(M.RULES) do
      if rule.test(command) then
        return refuse(rule)
      end
    end
  end
  return nil
end

return M
