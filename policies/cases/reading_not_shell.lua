-- What programs that read can do besides: run, load, write, change and connect. Each list has a
-- part that mode ci allows, because building needs it.
local SHELL = {
  'alias x=y', [[alias ls='rm x']], 'set -foo-bar', 'export PATH=.', 'export PATH=./bin:$PATH',
  'export LD_PRELOAD=./x', 'export BASH_ENV=./x', 'declare -x GIT_PAGER=./x', 'typeset PAGER=./x',
  'readonly EDITOR=./x', 'printf -v PATH .', 'read PATH', 'read -a PATH', 'mapfile -C ./x a',
  [[mapfile -c 1 -C 'rm x' a]], [[mapfile -C'rm x' a]], [[mapfile -t -C 'touch x' -c 1 a]],
  'readarray -C x a', 'history -w', 'history -w x', 'history -a x', 'history -c', 'history -d 1',
  'history -r x', 'history -n x', 'history -s x', [[history -p '!!']], 'fc -s', 'fc -e ./x',
  'fc -l -e ./x', 'trap "$x" EXIT', 'eval "$x"', 'compgen -C ./x', [[compgen -C 'touch x' a]],
  'compgen -F f', 'complete -C ./x a', 'enable -f ./x y', 'enable -n test', [[bind -x '"a": rm x']],
  'stty -echo', 'stty sane', 'stty -F /dev/tty1 raw', 'stty --file=/dev/x -a', 'stty raw',
  'stty 9600', 'tput init', 'tput reset', 'tput -S', 'tput -T x init', 'reset', 'ulimit --foo',
  'umask --foo', 'set --foo', 'exec > x', [[xargs -I{} sh -c 'rm {}']], 'xargs $x', 'time -o x ls',
  'env LD_PRELOAD=./x ls', 'env PATH=. ls', 'setsid -f ls', 'script x', 'script -c ls x',
  'chrt -p 1 2', 'taskset -p 1 2', 'ionice -p 1', 'sudo ls', 'doas ls', 'su -c ls', 'unshare ls',
  'chroot . ls', 'nsenter -t 1 ls', 'systemd-run ls',
}

local SHELL_AND_BUILDING = {
  'printf -v x y', 'printf -vx y', [[trap 'rm x' EXIT]], [[trap 'touch x' DEBUG]],
  [[trap -- 'rm x' 0]], 'eval rm x', 'bash --rcfile ./x -i', 'bash --rcfile ./x -ic ls',
  'bash --init-file ./x -ic ls', 'bash --rcfile=./x -ic ls', 'bash --rcf ./x -ic ls', 'bash -i',
  'bash -i --rcfile ./x', 'bash -s < x', 'bash x', 'bash ./x', 'bash -O extdebug x',
  [[bash -c 'touch x']], 'bash -D x', 'bash --debugger -c ls', 'zsh -f x', 'dash x', 'sh x',
  '. ./x', 'source x', 'exec ./x', 'exec -a a ./x', 'xargs rm < a', 'xargs -a x rm',
  'xargs --process-slot-var=PATH ls', 'xargs --foo ls', 'xargs -n1 ./x', 'xargs sort -o',
  '/usr/bin/time -o x ls', '/usr/bin/time --output=x ls', '/usr/bin/time --outp x ls',
  '/usr/bin/time -ao x ls', 'env', [[env -S 'rm x']], 'env --foo ls', 'nice -n 5 rm x', 'nohup ls',
  'timeout 5 rm x', 'timeout --foo 5 ls', 'stdbuf -oL rm x', 'flock x ls', 'strace -o x ls',
  'ltrace ls', 'watch rm x', 'watch -x rm x', 'parallel rm ::: a', 'parallel --joblog x ls ::: a',
  'command rm x', 'builtin source x', 'coproc rm x',
}

local OTHERS = {
  'ssh x ls', 'nc x 1', 'openssl s_client -connect x:1', 'tar tf x --to-command=./x',
  'tar tf x -I ./x', 'tar --use-compress-program=./x -tf x', 'vim x', 'vi -c q x', 'ed x',
  'emacs x', 'nano x', 'fzf --preview ./x', [[gdb -batch -ex 'shell id']], [[sqlite3 x 'select 1']],
  [[psql -c 'select 1']], 'cat a | sh', 'ls | xargs rm', 'ls | bash',
}

local OTHERS_AND_BUILDING = {
  'curl -o x http://x', 'curl http://x', 'wget http://x', 'tee x', 'cp a b', 'dd if=a of=b',
  'rsync a b', 'tar xf x', 'make -n', 'ls > x', 'cat < a > b', 'echo x > y', 'echo x >> y',
  'printf x | tee y', 'sort a | sponge a', 'git log | git apply', 'find . | xargs sort -o',
  'diff a b > c', 'cat a &> x', 'ls 2> x', ': > x', '> x',
}

return {
  { name = 'mode plan refuses what the shell could do', mode = 'plan', deny = SHELL },
  { name = 'mode ci refuses what the shell could do', mode = 'ci', deny = SHELL },
  {
    name = 'mode plan refuses what the shell could do, where building needs it', mode = 'plan',
    deny = SHELL_AND_BUILDING,
  },
  { name = 'mode plan refuses what other programs could do', mode = 'plan', deny = OTHERS },
  { name = 'mode ci refuses what other programs could do', mode = 'ci', deny = OTHERS },
  {
    name = 'mode plan refuses what other programs could do, where building needs it', mode = 'plan',
    deny = OTHERS_AND_BUILDING,
  },
}
