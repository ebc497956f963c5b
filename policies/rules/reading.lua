-- Commands that only read: allowed in every mode, so that a planning agent can read. For programs
-- that can also change something, the rules exclude those flags and words.
local HARMLESS = 'harmless_device' -- output may go to /dev/null

return {
  {
    id = 'reading.files',
    decision = 'allow',
    program = 'cat tac nl head tail less more most bat batcat rev expand unexpand paste comm '
      .. 'fold fmt pr wc cksum sum b2sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum '
      .. 'md5 shasum column colrm look strings hexdump hd xxd od zcat zless zmore bzcat xzcat '
      .. 'lz4cat zstdcat cut tr uniq join sort tsort shuf diff sdiff diff3 cmp colordiff delta '
      .. 'difft icdiff wdiff jq gojq jaq dasel base64 base32 basenc iconv envsubst man apropos '
      .. 'whatis info cloc tokei scc glow mdcat numfmt factor bc dc',
    only_reads = HARMLESS,
    match = {
      'cat README.md', 'head -50 src/a.c 2>/dev/null', 'sort a | uniq -c', 'jq .name package.json',
      'diff -u a b', { command = 'cat a', mode = 'plan' },
    },
    not_match = { 'sort -o a a', 'cat a > b', 'uniq a b', 'sudo cat a', 'rm a' },
  },
  {
    id = 'reading.searches',
    decision = 'allow',
    program = 'ls dir vdir gls exa eza lsd ll tree find gfind fd fdfind grep egrep fgrep zgrep '
      .. 'bzgrep xzgrep ggrep rgrep pcregrep pcre2grep rg ag ack stat file readlink realpath '
      .. 'dirname basename pathchk namei lsattr getfacl getfattr getcap du dust dua df locate '
      .. 'mlocate plocate which whereis type command hash',
    only_reads = HARMLESS,
    match = {
      'ls -la', 'find . -name "*.c"', 'grep -rn TODO src', 'rg foo', 'which node', 'du -sh .',
      { command = 'find . -type f | head', mode = 'plan' },
    },
    not_match = { 'find . -delete', 'find . -fprint x', 'tree -o x', 'ls > x' },
  },
  {
    id = 'reading.transforms',
    decision = 'allow',
    program = 'sed awk gawk mawk nawk yq xq xmllint tidy',
    without_flags = '-i --in-place --inplace',
    only_reads = HARMLESS,
    match = { "sed -n '1,20p' a", "awk '{print $2}' a", 'yq .a b.yml' },
    not_match = { 'sed -i s/a/b/ x', "sed -i -e s/a/b/ x", "awk '{print > \"x\"}' a" },
  },
  {
    id = 'reading.shell',
    decision = 'allow',
    program = 'cd pushd popd chdir echo print printf true false : test [ dirs pwd jobs exit '
      .. 'logout return break continue shift wait times sleep usleep seq expr let read mapfile '
      .. 'readarray export declare typeset local readonly unset set shopt umask ulimit getopts '
      .. 'yes tty stty compgen help bg fg disown alias unalias trap',
    only_reads = HARMLESS,
    match = { 'cd src && pwd', 'echo "$X"', '[ -f a ] && echo yes', 'export A=1', { command = 'cd '
      .. 'src', mode = 'plan' } },
    not_match = { 'echo x > a', 'LD_PRELOAD=./x true' },
  },
  {
    id = 'reading.machine',
    decision = 'allow',
    program = 'whoami id groups users who w last lastlog uptime uname arch nproc free vmstat '
      .. 'iostat mpstat lscpu lsblk lsusb lspci lsmem lsmod lsof ps pstree pgrep pidof pwdx '
      .. 'pmap top htop ss netstat printenv locale getconf getent ldd nm objdump readelf size '
      .. 'c++filt addr2line ipcs cal sw_vers system_profiler tput reset clear lsb_release atq '
      .. 'apt-cache dpkg-query rpmquery pkg-config pkgconf lsns findmnt lslocks nvidia-smi',
    only_reads = HARMLESS,
    match = { 'ps aux', 'uname -a', 'ss -ltnp', 'lsof -i :3000' },
    not_match = { 'ps aux > x', 'sudo lsof' },
  },
  {
    id = 'reading.date',
    decision = 'allow',
    program = 'date hostname sysctl mount ip ifconfig history journalctl dmesg systemctl',
    not_argument = {
      '-s', '--set*', '-w', '-w*', '--write', '*=*', '-p*', '--load*', '--system', 'add', 'del',
      'delete', 'set', 'flush', 'change', 'replace', 'append', 'up', 'down', '-c', '-d*', '-C',
      '--clear', '--vacuum-*', '--rotate', '--flush', '-a', '-o*', '--bind', '-F', '--file', '-b',
      'restart', 'stop', 'start', 'enable', 'disable', 'reload', 'mask', 'unmask', 'kill', 'edit',
      'daemon-reload', 'daemon-reexec', 'isolate', 'exit', 'link', 'revert', 'try-restart',
      'reload-or-restart', 'reset-failed', 'import-environment', 'set-environment',
      'unset-environment', 'set-property', 'set-default', 'preset', 'preset-all', 'default',
      'clean', 'freeze', 'thaw', 'log-level', 'log-target', 'service-log-level', 'switch-root',
      'kexec', 'suspend', 'hibernate', 'hybrid-sleep', 'rescue', 'emergency', 'halt', 'poweroff',
      'reboot', 'cancel', 'bind', 'mount-image', 'add-wants', 'add-requires', 'soft-reboot',
      'reenable',
    },
    only_reads = HARMLESS,
    match = { 'date +%F', 'ip addr', 'systemctl status nginx', 'sysctl vm.swappiness', 'dmesg' },
    not_match = { 'date -s x', 'ip link set a up', 'systemctl restart nginx', 'mount -o bind a b' },
  },
  {
    id = 'reading.git',
    decision = 'allow',
    program = 'git',
    subcommand = {
      'status', 'log', 'show', 'diff', 'diff-tree', 'diff-index', 'diff-files', 'whatchanged',
      'shortlog', 'range-diff', 'blame', 'annotate', 'describe', 'rev-parse', 'rev-list',
      'ls-files', 'ls-tree', 'cat-file', 'name-rev', 'merge-base', 'for-each-ref', 'show-ref',
      'show-branch', 'count-objects', 'check-ignore', 'check-attr', 'check-ref-format', 'var',
      'cherry', 'fsck', 'verify-commit', 'verify-tag', 'verify-pack', 'version', 'help', 'grep',
      'stash list', 'stash show', 'reflog', 'worktree list', 'submodule status',
      'submodule summary', 'bisect log', 'notes show', 'notes list', 'remote show',
      'remote get-url',
    },
    without_flags = '-O --open-files-in-pager --ext-diff --textconv --filters --exec-path -c '
      .. '--config-env --output',
    only_reads = HARMLESS,
    match = { 'git status -sb', 'git log --oneline | head', 'git -C sub diff', 'git stash list' },
    not_match = {
      'git commit -m x', 'git -c core.pager=x log', 'git diff --output=x', 'git stash',
    },
  },
  {
    id = 'reading.git_lists',
    decision = 'allow',
    program = 'git',
    subcommand = 'branch tag remote',
    without_flags = '-d -D --delete -m -M --move -c -C --copy -f --force -u --set-upstream-to '
      .. '--unset-upstream --edit-description -s --sign -a --annotate --create-reflog',
    max_operands = 0,
    only_reads = HARMLESS,
    match = { 'git branch', 'git branch --show-current', 'git remote -v', 'git tag -l' },
    not_match = { 'git branch x', 'git tag v1', 'git branch -D x' },
  },
  {
    id = 'reading.git_all_branches',
    decision = 'allow',
    program = 'git',
    subcommand = 'branch',
    flags = '-a --all -r --remotes -v -vv --list --contains --merged --no-merged',
    max_operands = 1,
    without_flags = '-d -D --delete -m -M --move -c -C --copy -f --force -u --set-upstream-to',
    only_reads = HARMLESS,
    match = { 'git branch -a', 'git branch -vv', 'git branch --contains abc' },
    not_match = { 'git branch -D x' },
  },
  {
    id = 'reading.git_config',
    decision = 'allow',
    program = 'git',
    subcommand = 'config',
    flags = '--get --get-all --get-regexp --get-urlmatch -l --list',
    only_reads = HARMLESS,
    match = { 'git config --get user.name', 'git config -l' },
    not_match = { 'git config user.name x' },
  },
  {
    id = 'reading.hosting',
    decision = 'allow',
    program = 'gh glab',
    subcommand = {
      'pr view', 'pr list', 'pr diff', 'pr checks', 'pr status', 'issue view', 'issue list',
      'issue status', 'run list', 'run view', 'repo view', 'repo list', 'release view',
      'release list', 'workflow list', 'workflow view', 'gist view', 'gist list', 'auth status',
      'search', 'status', 'mr view', 'mr list',
    },
    without_flags = '--show-token -t --web -w',
    only_reads = HARMLESS,
    match = { 'gh pr view 12', 'gh run list' },
    not_match = { 'gh pr create', 'gh auth status --show-token' },
  },
  {
    id = 'reading.packages',
    decision = 'allow',
    program = 'npm pnpm yarn cargo pip pip3 gem go rustup apt bundle composer poetry uv',
    subcommand = {
      'ls', 'list', 'll', 'la', 'outdated', 'view', 'v', 'info', 'show', 'why', 'explain', 'search',
      'help', 'version', 'doctor', 'freeze', 'check', 'tree', 'metadata', 'policy', 'depends',
      'rdepends', 'doc', 'bin', 'root', 'prefix', 'whoami', 'ping', 'config get', 'config list',
      'config ls', 'mod graph', 'mod why', 'pip list', 'pip show', 'pip freeze', 'pip tree', 'env',
      'vet', 'locate-project', 'which',
    },
    not_argument = {
      '-w', '-w=*', '-u', '-u=*', 'patch', 'minor', 'major', 'fix', '--open', '--fix',
    },
    only_reads = HARMLESS,
    match = {
      'npm ls', 'pip show requests', 'cargo tree', 'go list ./...', 'npm view react version',
    },
    not_match = { 'npm install', 'cargo build', 'go env -w A=b', 'npm version patch' },
  },
  {
    id = 'reading.versions',
    decision = 'allow',
    argument = { '--version', '--help' },
    max_operands = 0,
    only_reads = HARMLESS,
    test = function(command)
      return #command.argv == 2
    end,
    match = { 'node --version', 'cmake --help', { command = 'docker --version', mode = 'plan' } },
    not_match = { 'node a.js --version', 'make --version all' },
  },
  {
    id = 'reading.containers',
    decision = 'allow',
    program = 'docker podman nerdctl docker-compose',
    subcommand = {
      'ps', 'images', 'logs', 'inspect', 'version', 'info', 'stats', 'top', 'port', 'history',
      'diff', 'container ls', 'container list', 'container inspect', 'container logs', 'image ls',
      'image list', 'image inspect', 'volume ls', 'volume inspect', 'network ls', 'network inspect',
      'system df', 'compose ps', 'compose logs', 'compose config', 'compose images', 'compose top',
      'compose ls', 'compose port', 'compose version', 'config',
    },
    without_flags = '-H --host -c --context -o --output',
    only_reads = HARMLESS,
    match = { 'docker ps -a', 'docker compose logs web' },
    not_match = { 'docker run x', 'docker compose up' },
  },
  {
    id = 'reading.clusters',
    decision = 'allow',
    program = 'kubectl oc helm terraform tofu',
    subcommand = {
      'get', 'describe', 'logs', 'explain', 'top', 'version', 'cluster-info', 'api-resources',
      'api-versions', 'diff', 'events', 'rollout status', 'rollout history', 'config view',
      'config get-contexts', 'config current-context', 'auth can-i', 'auth whoami', 'list', 'ls',
      'status', 'show', 'history', 'template', 'lint', 'search', 'validate', 'providers', 'graph',
      'output', 'state list', 'state show', 'workspace list', 'workspace show',
    },
    only_reads = HARMLESS,
    match = { 'kubectl get pods -A', 'helm list', 'terraform validate' },
    not_match = { 'kubectl delete pod x', 'terraform apply' },
  },
}
