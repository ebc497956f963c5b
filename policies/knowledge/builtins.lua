-- Commands that the shell runs itself.
return {
  ['cd pushd chdir'] = { enters = 'operands' },
  ['popd dirs pwd jobs fg bg disown suspend logout exit return break continue shift times '
    .. 'umask ulimit shopt set history help caller true false : bindkey rehash '
    .. 'type'] = { text = 'words' },
  wait = { values = '-p', text = 'words' },
  ['fc hist'] = { values = '-e', runs = { { how = 'earlier', unless = '-l' } } },
  compgen = {
    values = '-A -C -F -G -P -S -W -X -o',
    runs = { { how = 'shell', from = '-C' }, { how = 'shell', from = '-W' } }, -- -W expands words
  },
  which = { text = 'words' },
  ['echo print'] = { prints = true },
  printf = { values = '-v', prints = true },
  -- Their values count as those of variables.
  ['export declare typeset local readonly unset let'] = { text = 'words' },
  ['read'] = { values = '-a -d -i -n -N -p -t -u', text = 'words' },
  ['mapfile readarray'] = {
    values = '-d -n -O -s -u -C -c',
    runs = { { how = 'shell', from = '-C' } },
  },
  ['test ['] = {
    -- Operands are mostly compared and rarely file names; a test changes nothing.
    text = 'words',
  },
  ['expr bc dc seq sleep usleep factor numfmt date cal tty stty tput reset clear yes nproc arch '
    .. 'uname hostname whoami id groups logname users who w uptime free vmstat iostat mpstat lscpu '
    .. 'lsblk lsusb lspci lsmem lsmod printenv locale getconf getent ldd nm objdump readelf '
    .. 'size c++filt addr2line ipcs last lastlog sw_vers system_profiler ps pstree top '
    .. 'htop btop pidof pgrep pwdx pmap'] = {
    values = '-d --date -f --file -r --reference -s --set -o -p -u -U -C -t',
  },
  ['alias unalias getopts'] = { text = 'words' },
  eval = { runs = { { how = 'joined' } } },
  ['source .'] = { runs = { { how = 'file' } } },
  trap = { options_first = true, runs = { { how = 'shell', from = 'first', unless = '-l -p' } } },
  exec = { values = '-a', options_first = true, runs = { { how = 'argv' } } },
  ['command builtin'] = {
    options_first = true,
    runs = { { how = 'argv', unless = '-v -V' } },
  },
  enable = { values = '-f', executes = '-f' },
  hash = { values = '-p', executes = '-p' },
  bind = {
    values = '-x -f -q -u -r -m',
    executes = '-f',
    runs = { { how = 'shell', from = '-x' } },
  },
  complete = {
    values = '-C -F -A -G -W -P -S -X -o',
    runs = { { how = 'shell', from = '-C' } },
  },
  compopt = {},
}
