-- git and other version control: what leaves the machine, what cannot be restored, and what makes
-- git run programs. Reading, committing, branching, merging, rebasing and pulling are free.

-- Keys of git's configuration whose values git runs or obeys, in lower case, as Lua patterns.
local EXECUTING_KEYS = {
  '^core%.pager$', '^core%.editor$', '^core%.sshcommand$', '^core%.fsmonitor$', '^core%.hookspath$',
  '^core%.askpass$', '^core%.gitproxy$', '^core%.alternaterefscommand$', '^core%.worktree$',
  '^core%.attributesfile$', '^sequence%.editor$', '^diff%.external$', '^diff%..*%.textconv$',
  '^diff%..*%.command$', '^interactive%.difffilter$', '^credential%.', '^gpg%..*program$',
  '^gpg%.program$', '^pager%.', '^alias%.', '^filter%.', '^merge%..*%.driver$', '^mergetool%.',
  '^difftool%.', '^include%.', '^includeif%.', '^init%.templatedir$', '^uploadpack%.',
  '^protocol%.', '^url%.', '^remote%..*%.uploadpack$', '^remote%..*%.receivepack$',
  '^remote%..*%.vcs$', '^submodule%..*%.update$', '^trailer%..*', '^sendemail%.', '^browser%.',
  '^web%.', '^man%.', '^gui', '^ssh%.variant$', '^http%.proxy$', '^http%.sslverify$',
  '^remote%..*%.url$', '^remote%..*%.pushurl$', '^tar%..*%.command$', '^safe%.directory$',
  '^extensions%.',
}
-- Common settings that turn off the pager, editor, hooks or colours.
local HARMLESS_VALUES = {
  [''] = true, cat = true, ['true'] = true, [':'] = true, ['false'] = true, less = true,
  ['/dev/null'] = true, ['1'] = true, ['0'] = true, always = true, never = true,
  ['cat -'] = true, ['input'] = true,
}

local function executes(key)
  key = key:lower()
  for _, pattern in ipairs(EXECUTING_KEYS) do
    if key:find(pattern) then
      return true
    end
  end
  return false
end

local function matters(key, value)
  return executes(key) and (not HARMLESS_VALUES[value] or key:lower():find('^alias') ~= nil)
end

-- git config KEY VALUE; with a key alone it reads
local function configures_executing_key(command)
  local words, first = {}, nil
  for _, index in ipairs(command.operands) do
    words[#words + 1] = command.argv[index]
    first = first or words[1] ~= 'set' and words[1] ~= 'unset' and index or nil
  end
  if words[1] == 'set' or words[1] == 'unset' then
    table.remove(words, 1)
  end
  local key, value = words[1], words[2]
  return key ~= nil and value ~= nil and (not command.literal[first] or matters(key, value))
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
    match = {
      'git push --force', 'git push origin +main', 'git push origin :old', 'git push -f origin x',
    },
    not_match = { 'git push', 'git fetch --force' },
  },
  {
    id = 'git.push',
    decision = 'ask',
    reason = 'This publishes commits: show the person what would be pushed, and let them approve '
      .. 'it.',
    program = 'git',
    subcommand = 'push send-pack send-email',
    match = {
      'git push', 'git push -u origin feature', 'git -C sub push', 'cd sub && git push origin HEAD',
    },
    not_match = { 'git pull', 'git commit -m push', 'git stash push' },
  },
  {
    id = 'git.reset_hard',
    decision = 'ask',
    reason = 'This throws away changes that are not committed: commit or stash them first.',
    program = 'git',
    subcommand = 'reset',
    flags = '--hard --merge --keep',
    match = { 'git reset --hard', 'git reset --hard HEAD~3' },
    not_match = { 'git reset HEAD file', 'git reset --soft HEAD~1' },
  },
  {
    id = 'git.checkout_force',
    decision = 'ask',
    reason = 'This throws away changes that are not committed: commit or stash them first.',
    program = 'git',
    subcommand = 'checkout switch',
    flags = '-f --force --discard-changes',
    match = { 'git checkout -f main', 'git switch --discard-changes main' },
    not_match = { 'git checkout -b x', 'git switch main' },
  },
  {
    id = 'git.clean',
    decision = 'ask',
    reason = 'This removes files that git does not know, for good: look at them with git clean '
      .. '-n first.',
    program = 'git',
    subcommand = 'clean',
    without_flags = '-n --dry-run',
    match = { 'git clean -fd', 'git clean -fdx', 'git clean -d --force' },
    not_match = { 'git clean -n', 'git clean -nfd' },
  },
  {
    id = 'git.branch_delete',
    decision = 'ask',
    reason = 'This removes a branch even when its commits are nowhere else: use git branch -d.',
    program = 'git',
    subcommand = 'branch',
    argument = { '-D', '-Dr', '-rD', '-Df', '-fD', '-df', '-fd', '-M', '-C', '--force', '-f' },
    match = { 'git branch -D old', 'git branch -d --force old' },
    not_match = { 'git branch -d old', 'git branch -a', 'git branch new' },
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
    id = 'git.stash_drop',
    decision = 'ask',
    reason = 'This removes stashed changes for good: use git stash pop, or leave them.',
    program = 'git',
    subcommand = { 'stash drop', 'stash clear' },
    match = { 'git stash drop', 'git stash clear' },
    not_match = { 'git stash', 'git stash pop', 'git stash list' },
  },
  {
    id = 'git.rewrite_history',
    decision = 'ask',
    reason = 'This rewrites history, or removes what it could be restored from: work on a clone, '
      .. 'or let a person approve it.',
    program = 'git',
    subcommand = {
      'filter-branch', 'filter-repo', 'reflog expire', 'reflog delete', 'replace', 'prune',
      'fast-import', 'gc', 'repack',
    },
    test = function(command)
      local word = command.subcommand
      if word ~= 'gc' and word ~= 'repack' then
        return true
      end
      return table.concat(command.argv, ' '):find('--prune', 1, true) ~= nil
    end,
    match = {
      'git filter-branch --all', 'git reflog expire --expire=now --all',
      'git gc --prune=now --aggressive',
    },
    not_match = { 'git gc', 'git reflog', 'git rebase main' },
  },
  {
    id = 'git.update_ref',
    decision = 'ask',
    reason = 'This moves or removes a branch behind git\'s back: use git branch or git switch.',
    program = 'git',
    subcommand = 'update-ref symbolic-ref',
    test = function(command)
      return command.subcommand == 'update-ref' or #command.operands > 1
        or table.concat(command.argv, ' '):find(' -d', 1, true) ~= nil
    end,
    match = { 'git update-ref -d refs/heads/main', 'git symbolic-ref HEAD refs/heads/x' },
    not_match = { 'git symbolic-ref HEAD', 'git show-ref' },
  },
  {
    id = 'git.config_executes',
    decision = 'ask',
    reason = 'Git would run or obey this value from now on: pass --no-pager, or set it for one '
      .. 'command.',
    program = 'git',
    subcommand = 'config',
    without_flags = '--get --get-all --get-regexp --get-urlmatch -l --list',
    test = configures_executing_key,
    match = {
      'git config core.hooksPath hooks', "git config alias.x '!ls'",
      'git config core.fsmonitor ./x.sh',
    },
    not_match = {
      'git config user.name Bob', 'git config core.editor', 'git config core.pager cat',
    },
  },
  {
    id = 'git.config_global',
    decision = 'ask',
    reason = 'This changes git for all repositories of the user: leave out --global.',
    program = 'git',
    subcommand = 'config',
    flags = '--global --system',
    without_flags = '--get --get-all --get-regexp --get-urlmatch -l --list',
    match = { 'git config --global user.email a@b.c', 'git config --system x.y z' },
    not_match = { 'git config user.email a@b.c', 'git config --global --list' },
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
    id = 'git.remotes',
    decision = 'ask',
    reason = 'This changes where later pushes and pulls go: name the address in the command '
      .. 'itself.',
    program = 'git',
    subcommand = {
      'remote add', 'remote set-url', 'remote remove', 'remote rm', 'remote rename',
      'remote set-head', 'remote set-branches',
    },
    match = { 'git remote add fork https://example.com/a.git', 'git remote set-url origin x' },
    not_match = { 'git remote -v', 'git remote show origin' },
  },
  {
    id = 'git.worktree_force',
    decision = 'ask',
    reason = 'This removes a working tree with the changes in it: commit or stash them first.',
    program = 'git',
    subcommand = { 'worktree remove', 'submodule deinit', 'rm' },
    flags = '-f --force',
    match = { 'git worktree remove -f wt', 'git rm -rf src' },
    not_match = { 'git worktree remove wt', 'git rm old.c' },
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
    reason = 'This publishes, or throws away changes: let a person approve it.',
    program = 'hg svn bzr cvs fossil p4 jj sl',
    argument = {
      'push', 'ci', 'commit', 'strip', 'rollback', 'purge', 'histedit', 'revert', 'submit', 'serve',
      'delete', 'rm', 'switch', '--clean', '-C', 'abandon', 'restore', 'undo', 'sync',
    },
    match = { 'svn commit -m x', 'hg push', 'hg strip tip', 'svn revert -R .' },
    not_match = { 'svn status', 'hg log', 'jj log' },
  },
}
