-- Programs that read. In mode default they run unasked, on a copy of the workspace; those that can
-- neither write nor run anything may stand beside a command that leaves the sandbox.
local looking = require 'looking'

local GREP = { '^%-[EFGPinvowcqhHsxzabm%d]+$', '^%-[ABCm]$', '^%-%-colou?r=?%a*$', '^%-e$' }
local FILTERS = {
  grep = GREP, egrep = GREP, fgrep = GREP,
  wc = { '^%-[clmwL]+$' },
  tr = { '^%-[cCdst]+$' },
}

local COLUMN = looking.options('-t -x', '-s -c -o')

-- What reads its input and no file: outside of the sandbox, a link that a run has made, or makes
-- while the line runs, would lead it to any file of the user.
local function reads_no_file(command)
  local program = command.program
  if program == 'column' then
    local words = looking.operands_of(command, COLUMN)
    return words ~= nil and #words == 0
  end
  local options = FILTERS[program]
  if options then
    local pattern = command.options[1] and command.argv[command.options[1]] == '-e'
    local most = program == 'tr' and 2 or program ~= 'wc' and not pattern and 1 or 0
    return #command.operands <= most and looking.has_only(command, options)
  end
  return #command.operands == 0
end

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
    program = 'echo printf true false test [ cd pwd ls basename dirname seq',
    match = { 'cd src && ls', 'echo x | true' },
    not_match = { 'sort x', 'sed -n 1p x' },
  },
  {
    id = 'reading.filters',
    decision = 'allow',
    reads = true,
    leaves = true,
    program = 'cat tac nl head tail rev fold wc cut tr grep egrep fgrep column',
    test = reads_no_file,
    unknown = 'stricter',
    match = { 'printf x | wc -l', 'echo x | grep -i y', 'echo x | head -20', 'echo x | tr a b' },
    not_match = {
      'cat x', 'grep -R y src', 'grep -f x', 'wc --files0-from=x', 'column -t x', 'grep y x',
      'head -n 5 x',
    },
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
    test = function(command)
      return not looking.is_among_files_of_runs(command)
    end,
    unknown = 'stricter',
    match = { 'git log --oneline -5', 'git status' },
    not_match = { 'git diff', 'git log --output=x', 'git -c core.pager=x log' },
  },
}
