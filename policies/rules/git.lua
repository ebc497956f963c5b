-- git and other version control: what leaves the machine, what cannot be restored, and what makes
-- git run programs. Reading, committing, branching, merging, rebasing and pulling are free.

local looking = require 'looking'
local set = require('word_set').of

local CHANGES = set('set unset edit rename-section remove-section --add --unset --unset-all '
  .. '--replace-all --rename-section --remove-section -e --edit')
local LOOKS = set 'get list get-regexp get-urlmatch get-color get-colorbool'
local FILES = set '-f --file --blob'

-- git config KEY VALUE, and the words that change something; with a key alone it reads.
local function changes_settings(command)
  local first, words = command.operands[1], #command.operands
  if FILES[command.argv[3] or ''] or first and LOOKS[command.argv[first]] then
    return false
  end
  for index, word in ipairs(command.argv) do
    if CHANGES[word] and (index == first or word:find('^%-')) then
      return true
    end
  end
  return words >= 2 and not (words == 2 and looking.SETTINGS[command.argv[first]])
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
    id = 'git.settings',
    decision = 'ask',
    reason = 'Git obeys its configuration outside of sandboxes, too, so that no run changes it: '
      .. 'pass -c KEY=VALUE to one command, or let a person approve this.',
    program = 'git',
    subcommand = 'config',
    without_flags = '--get --get-all --get-regexp --get-urlmatch -l --list --global --system',
    test = changes_settings,
    match = {
      'git config core.hooksPath hooks', "git config alias.x '!ls'", 'git config --unset user.name',
      'git config set core.fsmonitor ./x.sh', 'git config core.pager cat',
    },
    not_match = {
      'git config user.name Bob', 'git config core.editor', 'git config get core.pager',
      'git config -f x.ini a.b c',
    },
  },
  {
    id = 'git.tracks',
    decision = 'ask',
    reason = 'This writes to the configuration of git, which runs cannot change: leave out '
      .. '--track or use --no-track, or let a person approve this.',
    program = 'git',
    subcommand = 'checkout switch branch',
    flags = '-t --track',
    match = { 'git switch -t origin/x', 'git checkout --track origin/x' },
    not_match = { 'git switch -c x', 'git switch --no-track -c x origin/x' },
  },
  {
    id = 'git.submodules',
    decision = 'ask',
    reason = 'This writes to the configuration of git, which runs cannot change: let a person '
      .. 'approve it. Without --init, git submodule update works on what is there.',
    program = 'git',
    subcommand = {
      'submodule add', 'submodule init', 'submodule sync', 'submodule deinit', 'submodule update',
    },
    test = function(command)
      return command.subcommand ~= 'submodule update'
        or table.concat(command.argv, ' '):find(' --init', 1, true) ~= nil
    end,
    match = { 'git submodule add https://a/b b', 'git submodule update --init --recursive' },
    not_match = { 'git submodule status', 'git submodule update' },
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
