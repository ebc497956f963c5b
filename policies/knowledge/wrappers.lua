-- Programs whose arguments are another command. `skip`: operands before it. A wrapper without a
-- table here still shows when it names a known program: the analyser takes it to run that.
-- A wrapper with options that take values.
local function wrapper(values, skip)
  return {
    options_first = true,
    values = values,
    runs = { { how = 'argv', skip = skip } },
  }
end

local SUDO = {
  options_first = true,
  privileged = true,
  values = '-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -R --chroot -r '
    .. '--role -t --type -T --command-timeout -U --other-user -a --auth-type -c --login-class',
  cwd = '-D --chdir',
  runs = {
    {
      how = 'argv', assignments = true, shell_if_empty = true,
      unless = '-e --edit -l --list -v -k -K',
    },
  },
  accesses = { { access = 'write', of = 'operands', when = '-e --edit' } },
}

-- su and the like: -c takes code for a shell; without it they start a shell.
local SU = {
  privileged = true,
  values = '-c --command -s --shell -g --group -G --supp-group -w --whitelist-environment '
    .. '--session-command -T --pty',
  runs = {
    { how = 'shell', from = '-c --command --session-command' },
    { how = 'stdin', unless = '-c --command --session-command' },
  },
}

-- `tool run COMMAND`, `tool exec COMMAND`: the sub-commands are wrappers.
local function runner(names, values)
  local subcommands = {}
  for name in names:gmatch('%S+') do
    subcommands[name] = wrapper(values)
  end
  return { subcommands = subcommands }
end

-- Sub-commands of tmux whose words are a line for a shell.
local function in_panes(subcommands)
  for name in ([[new-session new new-window neww split-window splitw respawn-pane run-shell run
    display-popup popup pipe-pane]]):gmatch('%S+') do
    subcommands[name] = {
      values = '-c -e -F -h -l -n -p -s -S -t -T -w -x -y', runs = { { how = 'joined' } },
    }
  end
  return subcommands
end

return {
  ['nohup setsid unbuffer noglob nocorrect caffeinate fakeroot ccache distcc sccache icecc '
    .. 'dbus-run-session torsocks torify proxychains proxychains4 tsocks rlwrap systemd-inhibit '
    .. 'chronic eatmydata catchsegv valgrind heaptrack setarch linux32 linux64 i386 x86_64 uname26 '
    .. 'cgexec numactl aa-exec choom pipesz rr winpty bear'] = {
    options_first = true,
    values = '-f --fork -o -O --config -c -g -n --what --who --why --mode -m -p -u -N -C -H '
      .. '--log-file --tool --cpunodebind --membind --physcpubind --interleave',
    runs = { { how = 'argv' } },
  },
  time = wrapper('-o --output -f --format'),
  timeout = wrapper('-k --kill-after -s --signal', 1),
  gtimeout = wrapper('-k --kill-after -s --signal', 1),
  nice = wrapper('-n --adjustment'),
  ionice = {
    options_first = true,
    values = '-c --class -n --classdata -p --pid -P --pgid -u --uid',
    runs = { { how = 'argv', unless = '-p --pid -P --pgid -u --uid' } },
  },
  chrt = {
    options_first = true,
    values = '-T --sched-runtime -P --sched-period -D --sched-deadline',
    runs = { { how = 'argv', skip = 1, unless = '-p --pid' } },
  },
  taskset = { options_first = true, runs = { { how = 'argv', skip = 1, unless = '-p --pid' } } },
  prlimit = wrapper('-p --pid -o --output'),
  stdbuf = wrapper('-i --input -o --output -e --error'),
  env = {
    options_first = true,
    values = '-u --unset -C --chdir -S --split-string -a --argv0',
    cwd = '-C --chdir',
    runs = {
      { how = 'shell', from = '-S --split-string', and_operands = true },
      { how = 'argv', assignments = true },
    },
  },
  ['xargs gxargs'] = {
    options_first = true,
    values = '-a --arg-file -d --delimiter -E -I -J -L --max-lines -n --max-args -P --max-procs -R '
      .. '-s --max-chars --process-slot-var',
    reads = '-a --arg-file',
    runs = { { how = 'argv', appends = true } },
  },
  ['parallel sem'] = {
    options_first = true,
    values = '-a --arg-file -C --colsep -d --delimiter -I -j --jobs -n --max-args -N --joblog '
      .. '--results --retries --timeout --delay --load --memfree -S --sshlogin --sshloginfile '
      .. '--tmpdir --workdir --wd --halt --tagstring --nice --env --basefile --return '
      .. '--transferfile',
    reads = '-a --arg-file',
    writes = '--joblog --results --tmpdir',
    hosts = '-S --sshlogin',
    runs = { { how = 'joined', appends = true, shell_if_empty = true } },
  },
  ['sudo sudo-rs'] = SUDO,
  doas = {
    options_first = true,
    privileged = true,
    values = '-u -C -a',
    runs = { { how = 'argv', shell_if_empty = true } },
  },
  ['su'] = SU,
  runuser = {
    privileged = true,
    values = '-c --command -s --shell -u --user -g --group -G --supp-group -T --pty',
    runs = {
      { how = 'shell', from = '-c --command' },
      { how = 'argv', when = '-u --user' },
    },
  },
  ['pkexec run0 gosu su-exec please sux calife super'] = {
    options_first = true,
    privileged = true,
    values = '--user -u --setenv --unit --property --chdir -D --nice --slice',
    runs = { { how = 'argv', shell_if_empty = true } },
  },
  sg = { runs = { { how = 'shell', from = { 'second', '-c' } } } },
  setpriv = wrapper('--reuid --regid --groups --inh-caps --ambient-caps --bounding-set '
    .. '--securebits --pdeathsig --selinux-label --apparmor-profile'),
  chpst = wrapper('-u -U -b -e -/ -n -l -L -m -d -o -p -f -c -t -r'),
  ['setuidgid softlimit envdir'] = wrapper('', 1),
  chroot = {
    options_first = true,
    values = '--userspec --groups',
    enters = 'first',
    runs = { { how = 'argv', skip = 1, shell_if_empty = true } },
  },
  unshare = wrapper('-S --setuid -G --setgid -R --root -w --wd --propagation --setgroups '
    .. '--map-user --map-group --map-users --map-groups'),
  nsenter = wrapper('-t --target -S --setuid -G --setgid'),
  ['bwrap'] = wrapper('--bind --ro-bind --dev-bind --tmpfs --proc --dev --chdir --setenv '
    .. '--unsetenv --uid --gid'),
  ['firejail'] = wrapper('--profile --bind'),
  ['proot'] = wrapper('-r --rootfs -b --bind -w --pwd --cwd -q --qemu -k'),
  ['xvfb-run xwfb-run'] = wrapper('-n --server-num -e --error-file -f --auth-file -s --server-args '
    .. '-w --wait -p --xauth-protocol'),
  ['dbus-launch ssh-agent'] = wrapper('-a -t -E --sh-syntax'),
  ['systemd-run'] = wrapper('-u --unit -p --property -E --setenv --uid --gid --nice -M --machine '
    .. '-H --host --on-active --on-calendar --on-boot --timer-property --slice '
    .. '--working-directory --description --service-type'),
  ['watch hwatch viddy'] = {
    options_first = true,
    values = '-n --interval -q --equexit',
    runs = { { how = 'joined' } },
  },
  flock = {
    values = '-w --wait --timeout -E --conflict-exit-code -c --command',
    writes = 'first',
    runs = {
      { how = 'shell', from = '-c --command' },
      { how = 'argv', skip = 1 },
    },
  },
  ['script'] = {
    values = '-c --command -E --echo -I --log-in -O --log-out -B --log-io -T --log-timing -o '
      .. '--output-limit -m --logging-format',
    writes = { 'first', '-I --log-in -O --log-out -B --log-io -T --log-timing' },
    runs = { { how = 'shell', from = '-c --command' }, { how = 'argv', skip = 1 } },
  },
  -- What follows -- goes to a shell.
  capsh = {
    values = '--user --uid --gid --groups --caps --drop --shell',
    runs = { { how = 'shell', from = 'after_--' }, { how = 'stdin' } },
  },
  coreutils = { options_first = true },
  ['pee mispipe'] = { runs = { { how = 'shell', from = 'operands' } } },
  ['entr'] = {
    options_first = true,
    runs = {
      { how = 'joined', when = '-s' },
      { how = 'argv', unless = '-s' },
    },
  },
  ['watchexec nodemon reflex wachy chokidar onchange'] = {
    options_first = true,
    values = '-e --exts -w --watch -i --ignore -x --exec -c --command -g -r -d --delay --ext',
    runs = {
      { how = 'shell', from = '-x --exec -c --command' },
      { how = 'joined', unless = '-x --exec -c --command' },
    },
  },
  ['concurrently npm-run-all run-p run-s'] = {
    values = '-n --names -c --prefix-colors -p --prefix --success',
    runs = { { how = 'shell', from = 'operands' } },
  },
  ['hyperfine'] = {
    values = '-w --warmup -r --runs -m --min-runs -M --max-runs -p --prepare -c --cleanup -s '
      .. '--setup --conclude -L --parameter-list -P --parameter-scan -S --shell -n --command-name '
      .. '--export-json --export-csv --export-markdown -u --time-unit --style -i -N',
    writes = '--export-json --export-csv --export-markdown',
    runs = {
      { how = 'shell', from = '-p --prepare -c --cleanup -s --setup --conclude -S --shell' },
      { how = 'shell', from = 'operands' },
    },
  },
  ['strace ltrace'] = {
    options_first = true,
    values = '-e --trace -o --output -p --attach -s --string-limit -E --env -P --trace-path -u '
      .. '--user -a -O -S -I -b -X -l -n -A',
    writes = '-o --output',
    runs = { { how = 'argv' } },
  },
  perf = runner('stat record trace', '-e --event -o --output -r --repeat -p --pid -C --cpu -x -F '
    .. '--freq --call-graph'),
  gdb = {
    single_dash_long = true,
    values = '-ex -iex -eval-command --eval-command -x -command --command -p --pid -c --core -cd '
      .. '-d',
    executes = '-x -command --command',
    runs = {
      { how = 'code', from = '-ex -iex -eval-command --eval-command', language = 'gdb' },
      { how = 'argv', when = '--args -args' },
      { how = 'stdin', language = 'gdb', skip = 100, unless = '-batch --batch' },
    },
  },
  lldb = {
    values = '-o --one-line -s --source -k -p --attach-pid -f --file',
    executes = '-s --source',
    runs = {
      { how = 'code', from = '-o --one-line -k', language = 'gdb' },
      { how = 'stdin', language = 'gdb', skip = 100, unless = '-b --batch' },
    },
  },
  ['busybox toybox'] = {
    options_first = true,
    runs = { { how = 'argv', unless = '--install --list --list-full --help' } },
  },
  ['ld-linux* ld-musl* ld.so ld64.so* ld-*.so*'] = {
    options_first = true,
    values = '--library-path --preload --audit --argv0 --inhibit-rpath',
    executes = '--preload --audit',
    runs = { { how = 'argv' } },
  },
  ['qemu-x86_64 qemu-aarch64 qemu-arm wine wine64 box64 mono'] = {
    options_first = true,
    values = '-L -E -cpu -g',
    executes = 'first',
    runs = { { how = 'argv' } },
  },
  ['faketime'] = wrapper('-f', 1),
  -- Node's; Python's has a sub-command `run`.
  dotenv = {
    options_first = true,
    values = '-e -f --file -v -p -c -q',
    runs = { { how = 'argv' } },
    subcommands = { run = wrapper('-f --file'), list = {}, get = {}, set = {}, unset = {} },
  },
  sops = {
    values = '-o --output -r -i -R --config --age',
    writes = '-o --output',
    subcommands = {
      ['exec-env'] = { runs = { { how = 'shell', from = 'second' } } },
      ['exec-file'] = { runs = { { how = 'shell', from = 'second' } } },
      edit = {},
    },
  },
  ['dotenvx asdf rtx mise nvm pipenv conda mamba micromamba pyenv rbenv nodenv jenv '
    .. 'doppler infisical op aws-vault chamber teller volta fnm hatch pdm rye'] = runner(
    'run exec x',
    '-n --name -p --prefix -f --file -e --env -c --config --using --profile --python'
  ),
  direnv = { subcommands = { exec = wrapper('', 1), allow = {}, status = {}, hook = {} } },
  ['cross-env-shell'] = { options_first = true, runs = { { how = 'joined' } } },
  ['cross-env env-cmd'] = {
    options_first = true,
    values = '-f -e',
    runs = { { how = 'argv', assignments = true } },
  },
  ['nix-shell'] = {
    values = '--run --command -p --packages -A --attr -I --argstr --arg -i -E --expr',
    runs = { { how = 'shell', from = '--run --command' } },
  },
  nix = {
    subcommands = {
      develop = {
        options_first = true, values = '-f --file',
        runs = { { how = 'argv', when = '-c --command' } },
      },
      shell = { values = '-f --file', runs = { { how = 'argv', when = '-c --command' } } },
    },
  },
  ['guix'] = runner('shell environment', '-m -p -L'),
  screen = {
    options_first = true,
    values = '-S -c -e -h -p -s -t -T',
    executes = '-c',
    runs = {
      { how = 'shell', from = 'rest', when = '-X' },
      { how = 'argv', unless = '-r -R -x -X -ls -list -wipe -Q' },
    },
  },
  ['tmux zellij'] = {
    values = '-L -S -f -c -T -d -r -t -s -n -x -y -F -X -e -h -p',
    executes = '-f',
    runs = { { how = 'shell', from = '-c' } },
    subcommands = in_panes {
      ['if-shell'] = { values = '-t', runs = { { how = 'shell', from = 'first' } } },
      ['send-keys'] = { values = '-t -N', runs = { { how = 'shell', from = 'operands' } } },
      send = { values = '-t -N', runs = { { how = 'shell', from = 'operands' } } },
    },
  },
  ['xterm gnome-terminal konsole alacritty kitty foot urxvt wezterm x-terminal-emulator'] = {
    options_first = true,
    single_dash_long = true,
    values = '-T -title -geometry --working-directory -fa -fs',
    runs = {
      { how = 'joined', when = '-e -x --command' },
      { how = 'argv', unless = '-e -x --command' },
    },
  },
  ['start-stop-daemon'] = {
    values = '-x --exec -a --startas -p --pidfile -u --user -c --chuid -d --chdir -n --name -s '
      .. '--signal',
    executes = '-x --exec -a --startas',
  },
  ['daemonize daemon'] = wrapper('-a -c -e -o -p -l -u -E -n --name'),
}
