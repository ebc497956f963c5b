-- What the machine is, and what it is doing.

local IP_SHOW = '-h -human -human-readable -s -stats -statistics -d -details -4 -6 -B -M -0 -o '
  .. '-oneline -r -resolve -N -Numeric -a -all -t -timestamp -ts -tshort -iec -br -brief -j -json '
  .. '-p -pretty -c -color -V -Version'

-- ip takes abbreviations of its words; only the whole ones of reading are listed.
local function ip(objects, more)
  local found = {}
  for object in objects:gmatch('%S+') do
    for verb in ('show list ls ' .. (more or '')):gmatch('%S+') do
      found[object .. ' ' .. verb] = { not_operand = 'flush' }
    end
    found[object] = { operands = 0 }
  end
  return found
end
local IP = ip('addr address a link l route r rule ru neigh neighbor neighbour n maddress tunnel '
  .. 'netns mroute vrf token')
IP['route get, r get'] = {}

local SYSTEMCTL = {
  flags = '-a --all -r --recursive --reverse --after --before --with-dependencies -l --full '
    .. '--value --show-types -q --quiet --no-pager --no-legend --plain --user --system --failed '
    .. '-h --legend --no-ask-password --global --timestamp',
  values = '-t --type --state -p --property -P -n --lines -o --output --job-mode',
}

local CLOCK = '-s --since -t --until'

return {
  ['whoami logname users arch'] = {},
  id = '-a -Z --context -g --group -G --groups -n --name -r --real -u --user -z --zero -A -F -p -P',
  groups = {},
  who = '-a --all -b --boot -d --dead -H --heading --ips -l --login --lookup -m -p --process -q '
    .. '--count -r --runlevel -s --short -t --time -T -w --mesg -u --users --message --writable',
  w = '-h --no-header -u --no-current -s --short -f --from -i --ip-addr -V -o --old-style',
  last = {
    digits = true,
    flags = '-a --hostlast -d --dns -F --fulltimes -i --ip -R --nohostname -w --fullnames -x '
      .. '--system -h -V',
    values = '-f --file -p --present -n --limit --time-format ' .. CLOCK,
  },
  lastlog = { values = '-b --before -t --time -u --user' },
  uptime = '-p --pretty -h -s --since -V',
  uname = '-a --all -s --kernel-name -n --nodename -r --kernel-release -v --kernel-version -m '
    .. '--machine -p --processor -i --hardware-platform -o --operating-system',
  nproc = { flags = '--all', values = '--ignore' },
  free = {
    flags = '-b --bytes -k --kibi -m --mebi -g --gibi --tebi --pebi --kilo --mega --giga --tera '
      .. '--peta -h --human -w --wide -l --lohi --si -t --total -v --committed -V -L --line',
    values = '-c --count -s --seconds',
  },
  vmstat = {
    flags = '-a --active -f --forks -m --slabs -n --one-header -s --stats -d --disk -D --disk-sum '
      .. '-t --timestamp -w --wide -y --no-first -V -h',
    values = '-p --partition -S --unit',
  },
  ['iostat mpstat'] = {
    flags = '-c -d -h -k -m -N -s -t -V -x -y -z -A -n -T --human --pretty --compact',
    values = '-P -I -j -g -p -f -o --dec',
  },
  lscpu = {
    flags = '-a --all -B --bytes -b --online -c --offline -J --json -x --hex -y --physical '
      .. '--output-all --caches --extended --parse -V -h',
    values = '-s --sysroot',
    attached = '-C -e -p',
  },
  lsblk = {
    flags = '-A --noempty -a --all -b --bytes -D --discard -d --nodeps -f --fs -i --ascii -J '
      .. '--json -l --list -M --merge -m --perms -n --noheadings -O --output-all -P --pairs -p '
      .. '--paths -r --raw -S --scsi -s --inverse -t --topology -h -V -y --shell -z --zoned '
      .. '--tree -N --nvme -v --virtio',
    values = '-E --dedup -e --exclude -I --include -o --output -w --width -x --sort --sysroot',
    attached = '-T',
  },
  lsusb = { flags = '-v --verbose -t --tree -V', values = '-s -d' },
  lspci = {
    digits = true,
    flags = '-m -mm -t -v -vv -vvv -k -n -nn -b -D -x -xxx -P -PP -V',
    values = '-s -d',
  },
  lsmem = {
    flags = '-a --all -b --bytes -J --json -n --noheadings --output-all -P --pairs -r --raw -h -V '
      .. '--summary',
    values = '-o --output -S --split -s --sysroot',
  },
  lsmod = {},
  -- +f, +m and -D write or change what is shown for others.
  lsof = {
    plus = true,
    flags = '-a -b -C -h -l -n -N -O -P -Q -R -t -U -v -V -X -E +E +L +w',
    values = '-c -d -p -u +c +d +D',
    attached = '-i -s -F -g -L -T -S -r -o',
  },
  ps = {
    digits = true,
    flags = '-A -a -c -d -e -f -F -H -j -l -L -m -M -N -P -r -S -T -v -V -w -x -y -Z -h --context '
      .. '--cumulative --deselect --forest --headers --no-headers --no-heading --heading --info',
    values = '-C -G -g --Group --group -p --pid --ppid -q --quick-pid -s --sid -t --tty -U -u '
      .. '--User --user --format -O -o --cols --columns --width --lines --rows --sort -k '
      .. '--signames',
  },
  pstree = {
    flags = '-a --arguments -A --ascii -c --compact-not -g --show-pgids -G --vt100 -h '
      .. '--highlight-all -l --long -n --numeric-sort -p --show-pids -s --show-parents -S '
      .. '--ns-changes -t --thread-names -T --hide-threads -u --uid-changes -U --unicode -V -Z',
    values = '-C --color -H --highlight-pid -N --ns-sort',
  },
  -- Its options are those of pkill, of which some signal.
  pgrep = {
    flags = '-c --count -f --full -i --ignore-case -l --list-name -a --list-full -n --newest -o '
      .. '--oldest -v --inverse -w --lightweight -x --exact -A --ignore-ancestors -V -h -I -q',
    values = '-d --delimiter -g --pgroup -G --group -O --older -P --parent -s --session -t '
      .. '--terminal -u --euid -U --uid -r --runstates --cgroup --ns --nslist',
  },
  pidof = { flags = '-s -c -n -q -w -x -z', values = '-d -o' },
  pwdx = '-V -h',
  -- -n and -N write an rc file.
  pmap = {
    flags = '-x --extended -d --device -q --quiet -X -XX -p --show-path -h -V',
    values = '-A --range',
  },
  -- Without -b (-l on macOS) it takes keys, of which some signal and write.
  top = {
    flags = '-b --batch -c --cmdline-toggle -H --threads-show -i --idle-toggle -S '
      .. '--accum-time-toggle -1 --single-cpu-toggle -h -V -O --list-fields',
    values = '-d --delay -n --iterations -o --sort-override -p --pid -w --width -u '
      .. '--filter-only-euser -U --filter-any-user -e --scale-task-mem -E --scale-summary-mem -l '
      .. '-stats -s',
    needs = '-b --batch -l -h -V -O',
  },
  -- -K closes sockets, -D writes, -F reads filters from a file.
  ss = {
    flags = '-h -V -H --no-header -O --oneline -Q --no-queues -n --numeric -r --resolve -a --all '
      .. '-l --listening -o --options -e --extended -m --memory -p --processes -T --threads -i '
      .. '--info --tos --cgroup --tipcinfo -s --summary -E --events -Z --context -z --contexts -b '
      .. '--bpf -4 --ipv4 -6 --ipv6 -0 --packet -t --tcp -u --udp -d --dccp -w --raw -x --unix -S '
      .. '--sctp -M --mptcp --tipc --vsock --xdp --inet-sockopt',
    values = '-f --family -A --query --socket',
  },
  netstat = {
    digits = true,
    flags = '-r --route -g --groups -i --interfaces -M --masquerade -s --statistics -v --verbose '
      .. '-W --wide -n --numeric --numeric-hosts --numeric-ports --numeric-users -c --continuous '
      .. '-e --extend -o --timers -p --program -l --listening -a --all -F -C -t --tcp -u --udp -w '
      .. '--raw -x --unix -b -h -L -m -R -T -Z -N',
    values = '-A --protocol -f -I',
  },
  ipcs = {
    flags = '-h -V -m --shmems -q --queues -s --semaphores -a --all -c --creator -l --limits -p '
      .. '--pid -t --time -u --summary -b --bytes --human',
    values = '-i --id',
  },
  lsns = {
    flags = '-J --json -l --list -n --noheadings --output-all -r --raw -u --notruncate -W '
      .. '--nowrap -h -V --tree -P --persistent',
    values = '-o --output -p --task -t --type',
    attached = '-T',
  },
  lslocks = {
    flags = '-b --bytes -i --noinaccessible -J --json -n --noheadings --output-all -r --raw -u '
      .. '--notruncate -h -V',
    values = '-o --output -p --pid',
  },
  findmnt = {
    flags = '-A --all -a --ascii -b --bytes -C --nocanonicalize -c --canonicalize --deleted -D '
      .. '--df -e --evaluate -f --first-only -i --invert -J --json -k --kernel -l --list -m --mtab '
      .. '-n --noheadings --output-all -P --pairs --pseudo --shadow --shadowed -R --submounts -r '
      .. '--raw --real -s --fstab --tree -U --uniq -u --notruncate -v --nofsroot -x --verify '
      .. '--verbose --vfs-all -y --shell -h -V',
    values = '-d --direction -F --tab-file -M --mountpoint -N --task -O --options -o --output -S '
      .. '--source -T --target -t --types',
  },
  ['nvidia-smi'] = {
    single_dash_long = true,
    flags = '-L --list-gpus -q --query -x --xml-format -h',
    values = '-i --id -d --display -l --loop -lms --loop-ms --query-gpu --query-compute-apps '
      .. '--query-accounted-apps --query-supported-clocks --format',
    operands = 0,
  },
  ['sw_vers'] = {
    single_dash_long = true,
    flags = '-productName -productVersion -buildVersion --productName --productVersion '
      .. '--buildVersion --productVersionExtra',
  },
  ['system_profiler'] = {
    single_dash_long = true, flags = '-listDataTypes -xml -json -nospawn',
    values = '-detailLevel -timeout',
  },
  printenv = '-0 --null',
  locale = '-a --all-locales -m --charmaps -c --category-name -k --keyword-name -v --verbose -? '
    .. '--usage -V',
  getconf = { flags = '-a', values = '-v' },
  getent = { flags = '-i --no-idn -A --no-addrconfig -? --usage -V', values = '-s --service' },
  lsb_release = '-h -v --id -i -d --description -r --release -c --codename -a --all -s --short',
  atq = { flags = '-V', values = '-q -o' },
  cal = {
    digits = true,
    flags = '-1 -3 -s --sunday -m --monday -j --julian -y --year -Y --twelve -w --week -v '
      .. '--vertical -e -h -N -M -b -o -p --color --reform --iso -V',
    values = '-n --months -A -B -d -H -c --columns',
  },
  -- No word that is a capability changes the terminal for good, but init files do.
  tput = {
    flags = '-V', values = '-T',
    operand = 'cols lines colors clear bold dim smul rmul rev smso rmso sgr0 setaf setab setf setb '
      .. 'op longname el el1 ed cr civis cnorm sc rc cup bel sitm ritm am bce '
      .. '0* 1* 2* 3* 4* 5* 6* 7* 8* 9*',
  },
  clear = { flags = '-x -V', values = '-T' },
  -- It sets the clock with -s and with an operand.
  date = {
    flags = '--debug --resolution -R --rfc-email --rfc-2822 -u --utc --universal -j -n '
      .. '--iso-8601',
    values = '-d --date --rfc-3339 -r --reference -v',
    attached = '-I',
    operand = '+*',
  },
  -- It sets the name with an operand, and with -b and -F.
  hostname = {
    flags = '-a --alias -A --all-fqdns -d --domain -f --fqdn --long -i --ip-address -I '
      .. '--all-ip-addresses -s --short -V -h',
    operands = 0,
  },
  sysctl = {
    flags = '-n --values -e --ignore -N --names -q --quiet -a --all --deprecated -A -X -b '
      .. '--binary -o -x -h -d -V',
    values = '-r --pattern',
    not_operand = '*=*',
  },
  mount = { flags = '-l --show-labels -v --verbose -V -h', values = '-t --types', operands = 0 },
  ip = {
    single_dash_long = true,
    own_options = true,
    flags = IP_SHOW,
    values = '-f -family -l -loops -n -netns',
    subcommands = IP,
  },
  ifconfig = { flags = '-a -s -v -l -m -r -L', operands = 1 },
  -- Everything that is not listed rotates, vacuums, flushes, syncs, or reads from elsewhere.
  journalctl = {
    digits = true,
    flags = '--system --user -m --merge -k --dmesg -e --pager-end -f --follow --no-tail -r '
      .. '--reverse --show-cursor --utc -x --catalog --no-hostname --no-full --full -l -a --all -q '
      .. '--quiet --no-pager -N --fields --list-boots --disk-usage --verify --header -h '
      .. '--boot --case-sensitive --list-catalog --truncate-newline --lines',
    values = '-S --since -U --until -c --cursor --after-cursor --user-unit -p --priority '
      .. '--facility -g --grep -o --output --output-fields -u --unit -t --identifier -F '
      .. '--field -D --directory --file -T --exclude-identifier',
    attached = '-b -n',
  },
  dmesg = {
    flags = '-d --show-delta -e --reltime -H --human -J --json -k --kernel --noescape -P '
      .. '--nopager -p --force-prefix -r --raw -S --syslog -T --ctime -t --notime -u --userspace '
      .. '-w --follow -W --follow-new -x --decode -h -V --color',
    values = '-F --file -f --facility -l --level -s --buffer-size --since --until --time-format',
    attached = '-L',
    operands = 0,
  },
  systemctl = {
    alone = true,
    flags = SYSTEMCTL.flags,
    values = SYSTEMCTL.values,
    subcommands = {
      ['status, show, cat, list-units, list-unit-files, list-timers, list-sockets, '
        .. 'list-dependencies, is-active, is-enabled, is-failed, is-system-running, get-default, '
        .. 'help, list-jobs, list-machines, list-paths, list-automounts, show-environment'] = {},
    },
  },
  timedatectl = {
    alone = true,
    flags = '--no-pager -l --full -a --all --value',
    values = '-p --property',
    subcommands = { ['status, show, list-timezones, timesync-status, show-timesync'] = {} },
  },
  loginctl = {
    alone = true,
    flags = '-a --all -l --full --no-pager --no-legend --value --no-ask-password -h',
    values = '-p --property -P -n --lines -o --output',
    subcommands = {
      ['list-sessions, session-status, show-session, list-users, user-status, show-user, '
        .. 'list-seats, seat-status, show-seat'] = {},
    },
  },
  crontab = { flags = '-l', values = '-u', needs = '-l', operands = 0 },
}
