-- Shells, and other programs that run shell lines.

-- `history`: how a typed line refers to earlier ones. false: it does not; programs: as in bash,
-- where a line typed behind these programs, which read nothing, is the shell's. Without it, a line
-- that may refer to another one is asked about.
local function shell(history)
  return {
    values = '-O +O -o +o --rcfile --init-file',
    options_first = true,
    executes = '--rcfile --init-file',
    history = history,
    runs = {
      { how = 'option', from = '-c' },
      { how = 'file', unless = '-c -s' },
      { how = 'stdin', unless = '-c' },
    },
  }
end

local READ_NOTHING = ': [ basename cd chmod df dirname echo false id ls mkdir mktemp nproc popd '
  .. 'printenv printf ps pushd pwd readlink realpath rmdir seq sleep stat test touch true type '
  .. 'uname uptime which whoami'

return {
  ['bash rbash bash5* bash4*'] = shell(READ_NOTHING),
  ['dash ash posh'] = shell(false),
  ['sh zsh rzsh osh ksh ksh93 mksh pdksh oksh yash loksh zsh-*'] = shell(),
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
