-- Programs that signal, stop and renumber processes.
return {
  kill = { text = 'words', values = '-s --signal -n -q --queue', single_dash_long = true },
  ['pkill'] = {
    text = 'operands',
    values = '-s --signal --session -u --euid -U --uid -g --pgroup -G --group -P --parent -t '
      .. '--terminal -F --pidfile -r --runstates --ns --nslist --cgroup',
  },
  ['killall'] = { values = '-s --signal -u --user -y --younger-than -o --older-than -Z --context '
    .. '-n' },
  ['skill snice'] = { values = '-p -c -t -u' },
  fuser = { values = '-n --namespace', enters = 'operands' },
  renice = { values = '-n --priority -p --pid -g --pgrp -u --user' },
  gcore = { values = '-o', writes = '-o' },
}
