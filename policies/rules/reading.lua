-- Commands that only read: allowed in every mode, so that a planning agent can read. A rule names
-- programs; what they may be called with is in knowledge/reading, word by word (known_to_read).
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
      .. 'whatis info cloc tokei scc glow mdcat numfmt factor bc unzip zipinfo',
    known_to_read = true,
    only_reads = HARMLESS,
    match = {
      'cat README.md', 'head -50 src/a.c 2>/dev/null', 'sort a | uniq -c', 'jq .name package.json',
      'diff -u a b', 'unzip -l a.zip', { command = 'cat a', mode = 'plan' },
    },
    not_match = {
      'sort -o a a', 'cat a > b', 'uniq a b', 'sudo cat a', 'rm a', 'sort --compress-program=x a',
      'jq -f x a', 'less +!id a', 'man -P ./x ls', 'xxd -r a', 'unzip a.zip', 'sort --outp=x a',
    },
  },
  {
    id = 'reading.searches',
    decision = 'allow',
    program = 'ls dir vdir gls exa eza lsd tree find gfind fd fdfind grep egrep fgrep zgrep '
      .. 'bzgrep xzgrep ggrep rgrep pcregrep pcre2grep rg ag ack stat file readlink realpath '
      .. 'dirname basename pathchk namei lsattr getfacl getfattr getcap du dust dua df locate '
      .. 'mlocate plocate which whereis type command hash',
    known_to_read = true,
    only_reads = HARMLESS,
    match = {
      'ls -la', 'find . -name "*.c"', 'grep -rn TODO src', 'rg foo', 'which node', 'du -sh .',
      'find . -type f -exec wc -l {} +', { command = 'find . -type f | head', mode = 'plan' },
    },
    not_match = {
      'find . -delete', 'find . -fprint x', 'tree -o x', 'ls > x', 'rg --pre ./x a', 'file -C -m x',
      'hash -p ./x ls', 'xargs --process-slot-var=A ls',
    },
  },
  {
    id = 'reading.transforms',
    decision = 'allow',
    program = 'sed awk gawk mawk nawk yq xq xmllint tidy',
    known_to_read = true,
    only_reads = HARMLESS,
    match = { "sed -n '1,20p' a", "awk '{print $2}' a", 'yq .a b.yml' },
    not_match = {
      'sed -i s/a/b/ x', "sed -i -e s/a/b/ x", "awk '{print > \"x\"}' a", 'awk -f x a',
      'sed -f x a', 'yq -i .a=1 x', 'tidy -m x',
    },
  },
  {
    id = 'reading.shell',
    decision = 'allow',
    program = 'cd pushd popd chdir echo print printf true false : test [ dirs pwd jobs exit '
      .. 'logout return break continue shift wait times sleep usleep seq expr let read mapfile '
      .. 'readarray export declare typeset local readonly unset set shopt umask ulimit getopts '
      .. 'yes tty stty compgen help bg fg disown alias unalias trap history',
    known_to_read = true,
    only_reads = HARMLESS,
    match = {
      'cd src && pwd', 'echo "$X"', '[ -f a ] && echo yes', 'export A=1',
      { command = 'cd src', mode = 'plan' },
    },
    not_match = {
      'echo x > a', 'LD_PRELOAD=./x true', 'history -w', 'stty -echo', 'alias x=y',
      'mapfile -C ./x a', 'printf -v a x',
    },
  },
  {
    id = 'reading.machine',
    decision = 'allow',
    program = 'whoami logname id groups nice users who w last lastlog uptime uname arch nproc free '
      .. 'vmstat iostat mpstat lscpu lsblk lsusb lspci lsmem lsmod lsof ps pstree pgrep pidof '
      .. 'pwdx pmap top ss netstat printenv locale getconf getent ldd nm objdump readelf size '
      .. 'c++filt addr2line ipcs cal sw_vers system_profiler tput clear lsb_release atq apt-cache '
      .. 'dpkg-query rpmquery pkg-config pkgconf lsns findmnt lslocks nvidia-smi',
    known_to_read = true,
    only_reads = HARMLESS,
    match = { 'ps aux', 'uname -a', 'nice', 'ss -ltnp', 'lsof -i :3000', 'top -b -n 1' },
    not_match = {
      'ps aux > x', 'sudo lsof', 'top', 'ss -K dst a', 'ldd ./x', 'nm --plugin x a', 'nm @x',
      'lsof +f x',
    },
  },
  {
    id = 'reading.settings',
    decision = 'allow',
    program = 'date hostname sysctl mount ip ifconfig journalctl dmesg systemctl loginctl crontab '
      .. 'timedatectl',
    known_to_read = true,
    only_reads = HARMLESS,
    match = { 'date +%F', 'ip addr', 'systemctl status nginx', 'sysctl vm.swappiness', 'dmesg' },
    not_match = {
      'date -s x', 'ip link set a up', 'systemctl restart nginx', 'mount -o bind a b',
      'mount /dev/x /y', 'date 010203', 'hostname x', 'ip l s a up', 'systemctl --host=x status',
    },
  },
  {
    id = 'reading.git',
    decision = 'allow',
    program = 'git',
    known_to_read = true,
    only_reads = HARMLESS,
    match = {
      'git status -sb', 'git log --oneline | head', 'git -C sub diff', 'git stash list',
      'git branch', 'git branch --show-current', 'git branch -a', 'git branch --contains abc',
      'git remote -v', 'git tag -l', 'git config --get user.name', 'git config -l',
    },
    not_match = {
      'git commit -m x', 'git -c core.pager=x log', 'git diff --output=x', 'git diff --outp=x',
      'git stash', 'git branch x', 'git branch -vv x', 'git tag v1', 'git branch -D x',
      'git remote add a b', 'git config user.name x', 'git reflog expire --all', 'git grep -O x',
    },
  },
  {
    id = 'reading.git_setting',
    decision = 'allow',
    program = 'git',
    subcommand = 'config',
    only_reads = HARMLESS,
    test = function(command)
      -- One name alone is read; a second word would be its new value.
      return #command.argv == 3 and #command.wrappers == 0 and #command.assignments == 0
        and command.literal[3] and command.argv[3]:find('^%a[%w-]*%.[%w.-]*$') ~= nil
    end,
    match = { 'git config user.name', { command = 'git config core.editor', mode = 'plan' } },
    not_match = { 'git config user.name x', 'git config -e', 'git config "$X"' },
  },
  {
    id = 'reading.archives',
    decision = 'allow',
    program = 'tar gtar bsdtar',
    only_reads = HARMLESS,
    test = function(command)
      -- tar tzf x.tgz, tar -tvf x.tar [NAME ...]; host:x is on another machine.
      local letters = (command.argv[2] or ''):match('^%-?([tvzjJf]+)$')
      if not letters or not letters:find('t') or not letters:find('f$') or not command.argv[3]
        or #command.wrappers > 0 or #command.assignments > 0 then
        return false
      end
      for at = 2, #command.argv do
        local word = command.argv[at]
        if not command.literal[at] or at > 2 and word:find('^%-') or word:find(':', 1, true) then
          return false
        end
      end
      return true
    end,
    match = { 'tar tzf x.tgz', { command = 'tar -tvf x.tar', mode = 'plan' } },
    not_match = {
      'tar xf x.tar', 'tar tf x --to-command=./x', 'tar tf host:x', 'tar -tf x -I ./x',
      'tar tIf ./x y', 'tar tf "$X"',
    },
  },
  {
    id = 'reading.hosting',
    decision = 'allow',
    program = 'gh glab',
    known_to_read = true,
    only_reads = HARMLESS,
    match = { 'gh pr view 12', 'gh run list', 'gh api repos/a/b' },
    not_match = {
      'gh pr create', 'gh auth status --show-token', 'gh pr view --web', 'gh api -X POST repos/a/b',
      'gh api repos/a/b -f a=b', 'gh api --hostname x repos/a/b',
    },
  },
  {
    id = 'reading.packages',
    decision = 'allow',
    program = 'npm pnpm yarn cargo pip pip3 gem go rustup apt bundle composer poetry uv dpkg brew',
    known_to_read = true,
    only_reads = HARMLESS,
    match = {
      'npm ls', 'pip show requests', 'cargo tree', 'go list ./...', 'npm view react version',
    },
    not_match = {
      'npm install', 'cargo build', 'go env -w A=b', 'npm version patch', 'go vet -vettool=./x',
      'npm ls --userconfig ./x', 'cargo --config ./x tree',
    },
  },
  {
    id = 'reading.inspectors',
    decision = 'allow',
    program = 'javap jps jcmd jstack jinfo jstat kotlinc kotlin scala groovy gron csvcut csvgrep '
      .. 'csvstat csvlook csvjson csvsort csvjoin csvstack csvformat in2csv mlr sensors modinfo '
      .. 'pyenv rye pixi dlv k9s ansible-config pacman nix-env nuget pg_config mysql_config '
      .. 'mariadb_config php-config python3-config python-config llvm-config xml2-config '
      .. 'xslt-config curl-config sdl2-config krb5-config gpg-error-config libgcrypt-config '
      .. 'pcre-config pcre2-config icu-config freetype-config',
    known_to_read = true,
    only_reads = HARMLESS,
    match = {
      'javap -c Foo.class', 'jcmd 42 Thread.print', 'csvcut -c 1,2 a.csv | csvlook',
      'pyenv which x', 'mlr --icsv --ojson cat a.csv', 'sensors', 'pacman -Qi jq',
      'pg_config --version', { command = 'jps -l', mode = 'plan' },
    },
    not_match = {
      'javap -J-javaagent:x.jar Foo', 'jps host', 'jcmd 42 JVMTI.agent_load /tmp/x.so',
      'jcmd 42 GC.heap_dump x', "mlr -n put 'system(\"id\")'", 'mlr --prepipe ./x cat a.csv',
      'sensors -s', 'pacman -S jq', 'nix-env -i x', 'pyenv global 3.12', 'nuget locals all -clear',
      'kotlinc x.kt', 'rye sync', 'jinfo -flag +x 42', 'csvsql --query x a.csv', 'gron a > b',
    },
  },
  {
    id = 'reading.versions',
    decision = 'allow',
    argument = { '--version', '--help' },
    max_operands = 0,
    only_reads = HARMLESS,
    test = function(command)
      return #command.argv == 2 and #command.wrappers == 0
    end,
    match = { 'cmake --help', { command = 'docker --version', mode = 'plan' } },
    not_match = { 'node a.js --version', 'make --version all' },
  },
  {
    id = 'reading.tools',
    decision = 'allow',
    program = 'node nodejs bun deno ruby perl php lua luajit python python3 java gcc g++ cc c++ '
      .. 'clang clang++ rustc make gmake dotnet openssl',
    known_to_read = true,
    only_reads = HARMLESS,
    match = { 'node --version', { command = 'node -v', mode = 'plan' }, 'python3 -V' },
    not_match = { 'node a.js', 'node', 'python3 -v', 'gcc -v a.c' },
  },
  {
    id = 'reading.containers',
    decision = 'allow',
    program = 'docker podman nerdctl docker-compose',
    known_to_read = true,
    only_reads = HARMLESS,
    match = { 'docker ps -a', 'docker compose logs web' },
    not_match = {
      'docker run x', 'docker compose up', 'docker -H x ps', 'docker compose config -o x',
    },
  },
  {
    id = 'reading.clusters',
    decision = 'allow',
    program = 'kubectl oc helm terraform tofu',
    known_to_read = true,
    only_reads = HARMLESS,
    match = { 'kubectl get pods -A', 'helm list', 'terraform validate' },
    not_match = {
      'kubectl delete pod x', 'terraform apply', 'kubectl get pods --server=x',
      'kubectl get pods --kubeconfig x', 'kubectl cluster-info dump --output-directory=x',
      'helm template --post-renderer ./x a', 'helm template x --output-dir y',
    },
  },
}
