-- git and other version control: what leaves the machine, what cannot be restored, and what makes
-- git run programs. Reading, committing, branching, merging, rebasing and pulling are free.
-- Work can be thrown away by many spellings: what counts is which files git overwrites, and whether
-- it is told not to ask.
local looking = require 'looking'
local set = require('word_set').of

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
  local others, paths, dashes = {}, {}, #command.argv + 1
  for at = #command.argv, 2, -1 do
    dashes = command.argv[at] == '--' and at or dashes
  end
  for _, at in ipairs(command.operands) do
    table.insert(at > dashes and paths or others, at)
  end
  return others, paths, dashes <= #command.argv
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
  local word, literal = command.argv[only], command.literal[only]
  return word == '*' or word:find('/%*?$') ~= nil or literal
    and (word == '.' or word == '..' or word:find('^:') ~= nil or word:find('[*?]') ~= nil
      or word:find('^%.%.?/') ~= nil)
    or not literal and (word == '...' or word:find('{}', 1, true) ~= nil
      or word:find('--name-only', 1, true) ~= nil or word:find('diff', 1, true) ~= nil)
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

-- What writes over files by other ways than checkout and restore, and with which options.
local OVER = {
  ['read-tree'] = { '^%-u$', '^%-%-reset', '^%-mu$', '^%-um$' },
  ['checkout-index'] = { '^%-%a*[fa]', '^%-%-force', '^%-%-all' },
}
local REVERSED = { '^%-%a*R', '^%-%-reverse' }

local function writes_over(command)
  local from_git = command.fed_by[1] == 'git'
  if command.program == 'patch' then
    return from_git and has(command, unpack(REVERSED))
  elseif command.program == 'tar' then
    local line = table.concat(command.argv, ' ')
    local unpacks = line:find('^tar %-?%a*x') ~= nil or line:find('--extract', 1, true) ~= nil
    return from_git and unpacks and (line:find('%-C') == nil or line:find('%-C ?%.$') ~= nil)
  elseif command.subcommand == 'apply' then
    return #command.fed_by > 0 and has(command, unpack(REVERSED))
  end
  local options = OVER[command.subcommand]
  return options == nil and shows_over(command) or options ~= nil and has(command, unpack(options))
end

local CHANGES = set [[set unset edit rename-section remove-section --add --unset --unset-all
  --replace-all --rename-section --remove-section -e --edit]]
local LOOKS = set 'get list get-regexp get-urlmatch get-color get-colorbool'
local FILES = set '-f --file --blob'

-- git config KEY VALUE, and the words that change something; with a key alone it reads.
local function changes_settings(command)
  local first, words = command.operands[1], #command.operands
  if FILES[command.argv[3] or ''] or first and LOOKS[command.argv[first]] then
    return false
  end
  for index, word in ipairs(command.argv) do
    if word:find('^%-%-glo') or word:find('^%-%-sys')
      or CHANGES[word] and (index == first or word:find('^%-')) then
      return true
    end
  end
  return words >= 2 and not (words == 2 and looking.SETTINGS[command.argv[first]])
end

local function writes_settings(command)
  local name = command.subcommand
  if name == 'config' then
    return changes_settings(command)
  elseif name == 'checkout' or name == 'switch' or name == 'branch' then
    return has(command, '^%-t$', '^%-%-track')
  end
  return name ~= 'submodule update' or has(command, '^%-%-init')
end

-- Moves a branch, or forgets what could be restored; some of these also look.
local function forgets(command)
  local line = table.concat(command.argv, ' ')
  if command.subcommand == 'gc' or command.subcommand == 'repack' then
    return line:find('--prune', 1, true) ~= nil or line:find('[eE]xpire=') ~= nil
  elseif command.subcommand == 'symbolic-ref' then
    return #command.operands > 1 or line:find(' -d', 1, true) ~= nil
      or line:find('--delete', 1, true) ~= nil
  end
  return true
end

local function overwrites_refs(command)
  if has(command, '^%-%-update%-head%-ok', '^%-u$', '^%-%-prune%-tags', '^%-%a*P') then
    return true
  end
  local force = has(command, '^%-%-forc', '^%-%a*f$')
  for _, index in ipairs(command.operands) do
    local word = command.argv[index]
    local into = word:find('^%+?[%w./*_-]*:[%w.]') ~= nil and not word:find('://', 1, true)
      and not word:find(':refs/remotes/', 1, true)
    if into and (force or word:find('^%+')) then
      return true
    end
  end
  return false
end

return {
  {
    id = 'git.push_force',
    decision = 'ask',
    reason = 'This overwrites or removes what others may have: push without force, to a branch '
      .. 'of your own, or let a person approve it.',
    program = 'git',
    subcommand = 'push',
    argument = {
      '-f', '--force*', '--mirror', '--delete', '-d', '--prune', '+*', ':*', '--all', '--tags',
      '--no-verify', 're:-[a-z]*f[a-z]*',
    },
    match = { 'git push --force', 'git push origin +main', 'git push origin :old' },
    not_match = { 'git push', 'git fetch --force' },
  },
  {
    id = 'git.push',
    decision = 'ask',
    reason = 'This publishes commits: show the person what would be pushed, and let them approve '
      .. 'it.',
    program = 'git',
    subcommand = 'push send-pack send-email',
    match = { 'git push', 'git -C sub push', 'cd sub && git push origin HEAD' },
    not_match = { 'git pull', 'git commit -m push', 'git stash push' },
  },
  {
    id = 'git.transport',
    decision = 'deny',
    reason = 'This kind of address is a command that git runs: use https, or git over ssh.',
    program = 'git',
    argument = { 'ext::*', 're:.*(?:=|^)ext::.*', 'fd::*', 're:ssh://-.*', 're:-oProxyCommand.*' },
    match = { "git clone 'ext::sh -c ls'", 'git fetch ext::x' },
    not_match = { 'git clone https://example.com/a.git' },
  },
  {
    id = 'git.discards',
    decision = 'ask',
    reason = 'This throws away changes that are not committed: commit or stash them first.',
    program = 'git',
    subcommand = {
      'reset', 'rm', 'mv', 'worktree remove', 'submodule deinit', 'submodule update',
      'submodule add',
    },
    flags = '--hard --merge --keep -f --force',
    match = { 'git reset --hard', 'git worktree remove -f wt', 'git rm -rf src', 'git mv -f a b' },
    not_match = { 'git reset --soft HEAD~1', 'git worktree remove wt', 'git rm old.c' },
  },
  {
    id = 'git.discard_paths',
    decision = 'ask',
    reason = 'This throws away changes of several files that are not committed: name the files, '
      .. 'or stash them.',
    program = 'git',
    subcommand = 'checkout restore',
    test = function(command)
      if command.subcommand == 'restore' then
        return restores_many(command)
      end
      return checks_out_many(command)
    end,
    match = { 'git checkout .', 'git checkout HEAD -- src/', 'git checkout *' },
    not_match = {
      'git checkout main', 'git checkout -- src/a.c', 'git checkout -b x origin/main',
      'git checkout HEAD~1 Makefile', 'git checkout "$BRANCH"', 'git restore --staged .',
    },
  },
  {
    id = 'git.move_branch',
    decision = 'ask',
    reason = 'This throws away changes, or moves a branch away from its commits: commit first, and '
      .. 'make a branch with another name.',
    program = 'git',
    subcommand = 'checkout switch branch',
    flags = '-B -C --force-create -D -M -f --force --discard-changes',
    match = { 'git checkout -B main origin/main', 'git switch --discard-changes main' },
    not_match = { 'git checkout -b x', 'git switch main', 'git branch -d x', 'git branch -m new' },
  },
  {
    id = 'git.over_files',
    decision = 'ask',
    reason = 'This writes committed versions over files, with the changes in them: use git restore '
      .. 'with the names of files, or unpack into a directory of its own.',
    program = 'git tar patch',
    test = writes_over,
    match = { 'git read-tree -u --reset HEAD', 'git checkout-index -f -a' },
    not_match = {
      'git read-tree HEAD', 'git apply -R x.patch', 'git show HEAD:a.c > old.c',
      'git archive HEAD | tar x -C out', 'git diff | patch -p1 --dry-run',
    },
  },
  {
    id = 'git.clean',
    decision = 'ask',
    reason = 'This removes files that git does not know, for good: look at them with git clean '
      .. '-n first.',
    program = 'git',
    subcommand = 'clean',
    without_flags = '-n --dry-run',
    match = { 'git clean -fdx' },
    not_match = { 'git clean -nfd' },
  },
  {
    id = 'git.tag_delete',
    decision = 'ask',
    reason = 'This removes or moves a tag: make a new one instead.',
    program = 'git',
    subcommand = 'tag',
    flags = '-d --delete -f --force',
    match = { 'git tag -d v1', 'git tag -f v1' },
    not_match = { 'git tag v1', 'git tag -l' },
  },
  {
    id = 'git.rewrite_history',
    decision = 'ask',
    reason = 'This rewrites history, or removes what it could be restored from: work on a clone, '
      .. 'or let a person approve it.',
    program = 'git',
    subcommand = {
      'stash drop', 'stash clear', 'filter-branch', 'filter-repo', 'reflog expire',
      'reflog delete', 'replace', 'prune', 'fast-import', 'gc', 'repack', 'update-ref',
      'symbolic-ref', 'notes remove', 'notes prune', 'lfs prune', 'lfs migrate', 'lfs checkout',
    },
    test = forgets,
    match = { 'git stash drop', 'git filter-branch --all', 'git gc --prune=now --aggressive' },
    not_match = { 'git gc', 'git reflog', 'git stash pop', 'git symbolic-ref HEAD' },
  },
  {
    id = 'git.overwrite_refs',
    decision = 'ask',
    reason = 'This overwrites branches or tags of this repository: fetch without force, and merge.',
    program = 'git',
    subcommand = 'fetch pull',
    test = overwrites_refs,
    match = { 'git fetch -f origin main:main', 'git fetch origin +main:main' },
    not_match = { 'git fetch --force', 'git fetch origin', 'git fetch https://example.com/a.git' },
  },
  {
    id = 'git.settings',
    decision = 'ask',
    reason = 'Git obeys its configuration outside of sandboxes, too, so that no run changes it: '
      .. 'pass -c KEY=VALUE to one command, leave out --track, or let a person approve this.',
    program = 'git',
    subcommand = {
      'config', 'checkout', 'switch', 'branch', 'submodule add', 'submodule init',
      'submodule sync', 'submodule deinit', 'submodule update', 'remote add', 'remote set-url',
      'remote remove', 'remote rm', 'remote rename', 'remote set-head', 'remote set-branches',
    },
    without_flags = '--get --get-all --get-regexp --get-urlmatch -l --list',
    test = writes_settings,
    match = { 'git config core.hooksPath hooks', "git config alias.x '!ls'" },
    not_match = {
      'git config user.name Bob', 'git config core.editor', 'git config --global --list',
      'git config -f x.ini a.b c', 'git switch --no-track -c x origin/x',
      'git submodule update', 'git remote -v',
    },
  },
  {
    id = 'git.other_repository',
    decision = 'ask',
    reason = 'This changes a repository outside of the workspace: work on this one, or ask.',
    program = 'git',
    subcommand = {
      'init', 'add', 'commit', 'rm', 'mv', 'restore', 'checkout', 'switch', 'merge', 'rebase',
      'reset', 'clean', 'stash', 'pull', 'apply', 'am', 'config', 'cherry-pick', 'revert', 'tag',
    },
    access = 'enter',
    path = 'outside unknown',
    not_path = 'temp',
    match = { 'git -C ../other commit -am x', 'git -C /etc init' },
    not_match = { 'git -C sub commit -am x', 'git -C ../other log' },
  },
  {
    id = 'git.other_systems',
    decision = 'ask',
    reason = 'This publishes, or throws away changes or recorded data: let a person approve it.',
    program = 'hg svn bzr cvs fossil p4 jj sl dvc',
    argument = {
      'push', 'ci', 'commit', 'strip', 'rollback', 'purge', 'histedit', 'revert', 'submit', 'serve',
      'delete', 'rm', 'switch', '--clean', '-C', 'abandon', 'restore', 'undo', 'sync',
      '--remove-unversioned', '--remove-ignored', 'gc', 'destroy', 'uncommit', 'prune',
    },
    match = { 'svn commit -m x', 'hg strip tip', 'svn revert -R .', 'dvc gc -w' },
    not_match = { 'svn status', 'hg log', 'jj log', 'dvc pull' },
  },
}
