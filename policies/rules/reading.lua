-- Programs that read. In mode default they run unasked, on a copy of the workspace; those that can
-- neither write nor run anything may stand beside a command that leaves the sandbox.
return {
  {
    id = 'reading.programs',
    decision = 'allow',
    reads = true,
    program = [[ls dir exa eza lsd tree find fd fdfind file stat readlink realpath dirname
      basename du df cat tac nl head tail bat batcat rev expand unexpand paste comm fold fmt pr wc
      cksum b2sum md5sum sha1sum sha256sum sha512sum column look strings hexdump xxd od zcat cut
      tr uniq join sort diff cmp jq yq base64 iconv grep egrep fgrep zgrep rg ag ack sed awk gawk
      echo printf true false test [ cd pwd which type command date id whoami uname nproc uptime
      free lscpu ps pgrep seq expr cloc tokei man]],
    match = { 'ls -la', 'cat a | head -20', 'grep -rn foo src', "sed -n '1,10p' x" },
    not_match = { 'npm test', 'python3 x.py' },
  },
  {
    id = 'reading.repository',
    decision = 'allow',
    reads = true,
    program = 'git',
    subcommand = {
      'log', 'status', 'diff', 'show', 'blame', 'annotate', 'grep', 'ls-files', 'ls-tree',
      'cat-file',
      'rev-parse', 'rev-list', 'describe', 'shortlog', 'name-rev', 'merge-base', 'for-each-ref',
      'show-ref', 'check-ignore', 'count-objects', 'whatchanged', 'range-diff', 'cherry', 'reflog',
      'stash list', 'stash show', 'remote show', 'worktree list', 'version', 'var', 'diff-tree',
    },
    match = { 'git log', 'git diff main...HEAD', 'git show HEAD:x' },
    not_match = { 'git commit -m x', 'git checkout x', 'git branch new' },
  },
  {
    id = 'reading.plain',
    decision = 'allow',
    reads = true,
    leaves = true,
    program = 'cat tac nl head tail rev fold wc cut tr grep egrep fgrep column echo printf true '
      .. 'false test [ cd pwd ls basename dirname seq sleep',
    match = { 'cd src && ls', 'echo x | grep y', 'printf x | wc -l' },
    not_match = { 'sort x', 'sed -n 1p x' },
  },
  {
    id = 'reading.git',
    decision = 'allow',
    reads = true,
    leaves = true,
    program = 'git',
    subcommand = { 'log', 'status', 'rev-parse', 'rev-list', 'describe', 'shortlog' },
    not_argument = { '-c', '-c*', '--ou*', '--ext*', '--textc*', '--exec*', '--config-env*', '-p',
      '--paginate', '-C*', '--git-dir*', '--work-tree*' },
    match = { 'git log --oneline -5', 'git status' },
    not_match = { 'git diff', 'git log --output=x', 'git -c core.pager=x log' },
  },
}
