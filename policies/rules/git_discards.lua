-- Git that throws away work, by any spelling: what counts is which files it overwrites, and whether
-- git is told not to ask.

-- A path that stands for several files, or for files that are not known yet.
local function is_broad(word, literal)
  if not literal or word == '.' or word == '..' or word:find('/$') or word:find('/%.%.?$')
    or word:find('^:') or word:find('[*?%[]') or word == '@' then
    return true
  end
  -- src and lib/x are directories, Makefile and a.c are not.
  local last = word:match('([^/]+)$') or word
  return last:find('^%l[%w_-]*$') ~= nil
end

-- The words of a command behind its sub-command: paths behind --, and the others.
local function split(command)
  local others, paths, dashes = {}, {}, false
  local first = command.subcommand == '' and 2 or nil
  local past = first ~= nil
  local words = {}
  for name in command.subcommand:gmatch('%S+') do
    words[#words + 1] = name
  end
  local operand = {}
  for _, index in ipairs(command.operands) do
    operand[index] = true
  end
  local seen = 0
  for at = 2, #command.argv do
    local word = command.argv[at]
    if not past then
      if word == words[seen + 1] then
        seen = seen + 1
        past = seen == #words
      end
    elseif word == '--' and not dashes then
      dashes = true
    elseif dashes then
      paths[#paths + 1] = at
    elseif operand[at] then
      others[#others + 1] = at
    end
  end
  return others, paths, dashes
end

local function has(command, ...)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word == '--' then
      return false
    end
    for _, pattern in ipairs { ... } do
      if word:find(pattern) then
        return true
      end
    end
  end
  return false
end

local function any_broad(command, indexes, from)
  for at = from or 1, #indexes do
    local index = indexes[at]
    if is_broad(command.argv[index], command.literal[index]) then
      return true
    end
  end
  return false
end

-- git checkout [TREE] [--] PATHS
local function checks_out_many(command)
  if has(command, '^%-%-pathspec%-from%-file') then
    return true
  end
  if has(command, '^%-b$', '^%-%-orphan', '^%-%-detach', '^%-%-track', '^%-t$') then
    return false
  end
  local others, paths, dashes = split(command)
  if dashes then
    return any_broad(command, paths)
  end
  if #others >= 2 then
    return any_broad(command, others, 2) -- the first names a commit
  end
  local only = others[1]
  if not only then
    return false
  end
  local word = command.argv[only]
  return command.literal[only] and (word == '.' or word == '..' or word:find('/$') ~= nil
    or word:find('^:') ~= nil or word:find('[*?]') ~= nil or word:find('^%.%.?/') ~= nil)
    or not command.literal[only] and (word == '...' or word:find('{}', 1, true) ~= nil
      or word:find('ls-files', 1, true) ~= nil or word:find('--name-only', 1, true) ~= nil
      or word:find('diff', 1, true) ~= nil)
end

local function restores_many(command)
  local staged = has(command, '^%-%-stag', '^%-S', '^%-%a*S')
  local worktree = has(command, '^%-%-work', '^%-%a*W')
  if staged and not worktree then
    return false
  end
  if has(command, '^%-%-pathspec%-from%-file') then
    return true
  end
  local others, paths = split(command)
  return any_broad(command, paths) or any_broad(command, others)
end

-- git show HEAD:a.c > a.c
local function shows_over(command)
  for _, access in ipairs(command.accesses) do
    if access.access == 'write' and access.redirection then
      for at = 2, #command.argv do
        local path = command.argv[at]:match('^[^:]*:%.?/?(.+)$')
        if path and access.path:sub(-#path - 1) == '/' .. path then
          return true
        end
      end
    end
  end
  return false
end

return {
  {
    id = 'git.discard_paths',
    decision = 'ask',
    reason = 'This throws away changes of several files that are not committed: name the files, '
      .. 'or stash them.',
    program = 'git',
    subcommand = 'checkout',
    test = checks_out_many,
    match = {
      'git checkout .', 'git checkout -- .', 'git checkout HEAD .', 'git checkout -- src/',
      "git checkout HEAD -- '*.c'", 'git checkout -- "$F"', 'git ls-files -m | xargs git '
        .. 'checkout --',
    },
    not_match = {
      'git checkout main', 'git checkout -- src/a.c', 'git checkout -b x origin/main',
      'git checkout HEAD~1 Makefile', 'git checkout "$BRANCH"', 'git checkout feature/x',
    },
  },
  {
    id = 'git.restore_paths',
    decision = 'ask',
    reason = 'This throws away changes of several files that are not committed: name the files, '
      .. 'or stash them.',
    program = 'git',
    subcommand = 'restore',
    test = restores_many,
    match = {
      'git restore .', 'git restore -SW .', 'git restore src/', 'git restore --staged --worktree .',
      'git diff --name-only | xargs git restore',
    },
    not_match = { 'git restore --staged .', 'git restore src/a.c', 'git restore -S src' },
  },
  {
    id = 'git.move_branch',
    decision = 'ask',
    reason = 'This moves a branch away from its commits: make one with another name.',
    program = 'git',
    subcommand = 'checkout switch branch',
    flags = '-B -C --force-create -D -M -f --force',
    match = {
      'git checkout -B main origin/main', 'git switch -C main', 'git branch -qD x',
      'git branch -f main HEAD~3',
    },
    not_match = { 'git checkout -b x', 'git switch -c x', 'git branch -d x', 'git branch -m new' },
  },
  {
    id = 'git.index_over_files',
    decision = 'ask',
    reason = 'This writes files over changes that are not committed: use git restore with the '
      .. 'names of files.',
    program = 'git',
    subcommand = 'read-tree checkout-index mv apply submodule',
    test = function(command)
      local sub = command.subcommand
      if sub == 'read-tree' then
        return has(command, '^%-u$', '^%-%-reset', '^%-mu$', '^%-um$')
      elseif sub == 'checkout-index' then
        return has(command, '^%-%a*[fa]', '^%-%-force', '^%-%-all')
      elseif sub == 'mv' then
        return has(command, '^%-%a*f', '^%-%-force')
      elseif sub == 'apply' then
        local from = command.fed_by[1]
        return from ~= nil and has(command, '^%-R$', '^%-%-reverse', '^%-%a*R')
      end
      return false
    end,
    match = {
      'git read-tree -u --reset HEAD', 'git checkout-index -f -a', 'git diff | git apply -R',
      'git mv -f a b',
    },
    not_match = { 'git read-tree HEAD', 'git mv a b', 'git apply -R x.patch' },
  },
  {
    id = 'git.submodules_force',
    decision = 'ask',
    reason = 'This throws away changes in submodules, or takes newer code of others: leave out '
      .. 'the option.',
    program = 'git',
    subcommand = { 'submodule update', 'submodule add' },
    flags = '-f --force --remote',
    match = { 'git submodule update --init --force', 'git submodule update --remote' },
    not_match = { 'git submodule update --init --recursive' },
  },
  {
    id = 'git.show_over',
    decision = 'ask',
    reason = 'This writes a committed version over a file, with the changes in it: stash them '
      .. 'first.',
    program = 'git',
    subcommand = 'show cat-file',
    test = shows_over,
    match = { 'git show HEAD:a.c > a.c', 'git cat-file blob HEAD:src/a.c > src/a.c' },
    not_match = { 'git show HEAD:a.c > old.c', 'git show HEAD' },
  },
  {
    id = 'git.unpack_over',
    decision = 'ask',
    reason = 'This writes committed versions over the files of the workspace: unpack into a '
      .. 'directory of its own with -C.',
    program = 'tar patch',
    fed_by = { 'git' },
    test = function(command)
      if command.program == 'patch' then
        return has(command, '^%-R$', '^%-%-reverse')
      end
      local line = table.concat(command.argv, ' ')
      local unpacks = line:find('^tar %-?%a*x') ~= nil or line:find('--extract', 1, true) ~= nil
      return unpacks and (line:find('%-C') == nil or line:find('%-C ?%.$') ~= nil)
    end,
    match = { 'git archive HEAD | tar x', 'git diff HEAD | patch -R -p1' },
    not_match = { 'git archive HEAD | tar x -C out', 'git diff | patch -p1 --dry-run' },
  },
  {
    id = 'git.overwrite_refs',
    decision = 'ask',
    reason = 'This overwrites branches or tags of this repository: fetch without force, and merge.',
    program = 'git',
    subcommand = 'fetch pull',
    test = function(command)
      local force = has(command, '^%-%-forc', '^%-%a*f$')
      if has(command, '^%-%-update%-head%-ok', '^%-u$', '^%-%-prune%-tags', '^%-%a*P') then
        return true
      end
      for _, index in ipairs(command.operands) do
        local word = command.argv[index]
        local into = word:find('^%+?[%w./*_-]*:[%w.]') ~= nil and not word:find('://', 1, true)
          and not word:find(':refs/remotes/', 1, true)
        if into and (force or word:find('^%+')) then
          return true
        end
      end
      return false
    end,
    match = { 'git fetch -f origin main:main', 'git fetch origin +main:main' },
    not_match = { 'git fetch --force', 'git fetch origin', 'git fetch https://example.com/a.git' },
  },
  {
    id = 'git.forget',
    decision = 'ask',
    reason = 'This removes what lost commits could be restored from, or what others wrote down: '
      .. 'leave it, or let a person approve it.',
    program = 'git',
    argument = {
      're:(?i)gc\\..*(?:expire|prune).*', 'prune', 'remove', 'migrate', 'checkout', '--delete',
      'unpack-objects',
    },
    test = function(command)
      local line = ' ' .. table.concat(command.argv, ' ') .. ' '
      local lower = line:lower()
      return lower:find(' gc%.[%w.]*expire[%w]*[ =]') ~= nil and lower:find('=never') == nil
          and lower:find(' %-%-get') == nil and lower:find('expire%w* *$') == nil
        or line:find(' notes remove ', 1, true) ~= nil or line:find(' notes prune ', 1, true) ~= nil
        or line:find(' lfs prune ', 1, true) ~= nil or line:find(' lfs migrate ', 1, true) ~= nil
        or line:find(' lfs checkout ', 1, true) ~= nil
        or line:find(' symbolic%-ref .*%-%-delete ') ~= nil
    end,
    match = {
      'git -c gc.pruneExpire=now gc', 'git config gc.reflogExpire now', 'git notes remove HEAD',
      'git lfs prune', 'git symbolic-ref --delete HEAD',
    },
    not_match = { 'git config --get gc.pruneExpire', 'git lfs pull', 'git remote prune origin' },
  },
  {
    id = 'git.other_discards',
    decision = 'ask',
    reason = 'This throws away changes or recorded data: commit first, or let a person approve it.',
    program = 'svn dvc hg fossil bzr',
    argument = { '--remove-unversioned', '--remove-ignored', 'gc', 'destroy', 'uncommit', 'prune' },
    match = { 'svn cleanup --remove-unversioned', 'dvc gc -w' },
    not_match = { 'svn cleanup', 'dvc pull' },
  },
}
