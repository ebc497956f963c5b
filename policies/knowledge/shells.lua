-- Shells, and other programs that run shell lines.

local function shell()
  return {
    values = '-O +O -o +o --rcfile --init-file',
    options_first = true,
    executes = '--rcfile --init-file',
    runs = {
      { how = 'option', from = '-c' },
      { how = 'file', unless = '-c -s' },
      { how = 'stdin', unless = '-c' },
    },
  }
end

-- A shell whose grammar is not bash's: its code is not analysed. It is read as bash would read it
-- all the same, so that what is denied stays denied.
local function other(language, flags, values)
  return {
    values = flags .. ' ' .. (values or ''),
    options_first = true,
    runs = {
      { how = 'shell', from = flags },
      { how = 'code', from = flags, language = language },
      { how = 'file', language = language, unless = flags },
      { how = 'stdin', language = language, unless = flags },
    },
  }
end

-- zsh reads plain commands as bash does.
local ZSH = shell()
table.insert(ZSH.runs, 1, { how = 'code', from = 'first', when = '-c', language = 'zsh' })
table.insert(ZSH.runs, { how = 'stdin', unless = '-c', language = 'zsh' })

return {
  ['bash rbash bash5* bash4* dash ash posh'] = shell(),
  ['sh osh ksh ksh93 mksh pdksh oksh yash loksh brush'] = shell(),
  ['zsh rzsh zsh-*'] = ZSH,
  ['csh tcsh'] = other('csh', '-c'),
  fish = {
    values = '-c --command -C --init-command -d --debug -o --debug-output -f --features --profile',
    writes = '-o --debug-output --profile',
    options_first = true,
    runs = {
      { how = 'shell', from = '-c --command -C --init-command' },
      { how = 'code', from = '-c --command -C --init-command', language = 'fish' },
      { how = 'file', language = 'fish', unless = '-c --command' },
      { how = 'stdin', language = 'fish', unless = '-c --command' },
    },
  },
  nu = other('nu', '-c --commands -e --execute', '--config --env-config -I'),
  xonsh = other('xonsh', '-c', '--rc'),
  elvish = other('elvish', '-c', '-rc'),
  ['oil ysh ion murex ngs hush closh dune-shell rash'] = other('other_shell', '-c'),
  ['cmd cmd.exe command.com'] = {
    runs = { { how = 'code', from = 'rest', language = 'cmd' } },
  },
  ['pwsh powershell pwsh.exe powershell.exe pwsh-preview'] = {
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
  ['scsh rc es'] = other('rc', '-c'),

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
  crontab = { values = '-u', executes = 'first' },
}
