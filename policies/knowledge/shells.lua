-- Shells, and other programs that run shell lines.
local SHELL = {
  values = '-O +O -o +o --rcfile --init-file',
  options_first = true,
  executes = '--rcfile --init-file',
  runs = {
    { how = 'option', from = '-c' },
    { how = 'file', unless = '-c -s' },
    { how = 'stdin', unless = '-c' },
  },
}

return {
  ['sh bash dash ash zsh ksh ksh93 mksh pdksh oksh rbash rzsh yash posh loksh osh bash5* '
    .. 'bash4* zsh-*'] = SHELL,
  ['csh tcsh'] = {
    options_first = true,
    runs = {
      { how = 'option', from = '-c' },
      { how = 'file', unless = '-c -s' },
      { how = 'stdin', unless = '-c' },
    },
  },
  fish = {
    values = '-c --command -C --init-command -d --debug -o --debug-output -f --features --profile',
    writes = '-o --debug-output --profile',
    options_first = true,
    runs = {
      { how = 'shell', from = '-c --command' },
      { how = 'shell', from = '-C --init-command' },
      { how = 'file', unless = '-c --command' },
      { how = 'stdin', unless = '-c --command' },
    },
  },
  ['nu xonsh elvish'] = {
    values = '-c --commands -e --execute',
    options_first = true,
    runs = {
      { how = 'shell', from = '-c --commands -e --execute' },
      { how = 'file', unless = '-c --commands -e --execute' },
      { how = 'stdin', unless = '-c --commands -e --execute' },
    },
  },
  ['pwsh powershell'] = {
    single_dash_long = true,
    values = '-Command -c -EncodedCommand -e -ec -File -f -WorkingDirectory -wd -ExecutionPolicy',
    cwd = '-WorkingDirectory -wd',
    executes = '-File -f',
    runs = {
      { how = 'code', from = '-Command -c', language = 'powershell' },
      { how = 'code', from = '-EncodedCommand -e -ec', language = 'powershell' },
      { how = 'stdin', language = 'powershell', unless = '-Command -c -EncodedCommand -File -f' },
    },
  },
  ['scsh rc es'] = {
    options_first = true,
    runs = { { how = 'option', from = '-c' }, { how = 'file', unless = '-c' } },
  },

  expect = {
    values = '-c -f -b',
    executes = '-f -b',
    runs = {
      { how = 'code', from = '-c', language = 'tcl' },
      { how = 'file', language = 'tcl', unless = '-c -f -b' },
      { how = 'stdin', language = 'tcl', unless = '-c -f -b' },
    },
  },
  ['batch'] = {
    values = '-f -q',
    executes = '-f',
    runs = { { how = 'stdin', unless = '-f' } },
  },
  at = {
    values = '-f -q -t -d -r -c',
    executes = '-f',
    runs = { { how = 'stdin', skip = 9, unless = '-f -l -d -r -c' } },
  },
  ['atq atrm'] = {},
  crontab = { values = '-u', executes = 'first' },
}
