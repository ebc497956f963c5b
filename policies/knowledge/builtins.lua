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
}
