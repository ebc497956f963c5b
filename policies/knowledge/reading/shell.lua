-- What the shell does itself, the programs that start a command, and small tools of scripts. A
-- program that starts a command is listed with its own words only: the command is judged by itself.
local CHANGE_DIRECTORY = { any_words = true, flags = '-L -P -e -@', digits = true, plus = true }

-- Shells whose code is given in the line. Those that read a file of code, or the code of -rcfile,
-- need another rule.
local SHELL = {
  plus = true,
  flags = '-c -e -u -x -f -v -n -E -h -B -C -l -i -a -b -k -m -p -t -s +e +u +x +f +v +E +B +C +a '
    .. '+h +m --norc --noprofile --login --posix --noediting',
  values = '-o +o -O +O',
}

local DECLARE = {
  sets_variables = true,
  any_words = true,
  plus = true,
  flags = '-a -A -f -F -g -i -I -l -n -p -r -t -u -x +a +A +i +l +n +r +t +u +x',
}

return {
  ['cd pushd chdir'] = CHANGE_DIRECTORY,
  popd = CHANGE_DIRECTORY,
  dirs = { digits = true, plus = true, flags = '-c -l -p -v' },
  pwd = '-L -P --logical --physical',
  ['echo print'] = { any_words = true, flags = '-n -e -E -r' },
  -- Any word is only printed, except behind -v.
  printf = { options_first = true },
  ['true false exit logout return break continue shift times wait'] = {
    any_words = true, digits = true, flags = '-n -f -p',
  },
  jobs = { flags = '-l -n -p -r -s -x' },
  ['test ['] = {
    any_words = true,
    single_dash_long = true,
    flags = '-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -o -v -R -n -z -ef -nt '
      .. '-ot -eq -ne -lt -le -gt -ge',
    digits = true,
  },
  ['sleep usleep'] = { any_words = true },
  seq = {
    any_words = true, digits = true, flags = '-w --equal-width', values = '-f --format -s '
      .. '--separator -t',
  },
  ['expr let yes'] = { any_words = true, digits = true },
  read = {
    any_words = true, flags = '-e -r -s -E -A', values = '-a -d -i -n -N -p -t -u',
  },
  -- -C runs a command.
  ['mapfile readarray'] = { flags = '-t', values = '-d -n -O -s -u' },
  ['export readonly'] = {
    sets_variables = true, any_words = true, flags = '-f -n -p -a -A',
  },
  -- Assignments without a command are those of this one.
  [':'] = { sets_variables = true, any_words = true },
  ['declare typeset local'] = DECLARE,
  unset = { any_words = true, flags = '-f -v -n' },
  set = {
    any_words = true,
    plus = true,
    flags = '-a -b -e -f -h -k -m -n -p -t -u -v -x -B -C -E -H -P -T +a +b +e +f +h +k +m +n +p '
      .. '+t +u +v +x +B +C +E +H +P +T -o +o',
  },
  shopt = { flags = '-s -u -p -q -o' },
  umask = { any_words = true, flags = '-p -S' },
  ulimit = {
    any_words = true,
    flags = '-S -H -a -b -c -d -e -f -i -k -l -m -n -p -q -r -s -t -u -v -x -P -R -T',
  },
  getopts = { any_words = true },
  tty = '-s --silent --quiet',
  -- It shows, and changes with any other word.
  stty = { flags = '-a --all -g --save', operand = { 'size', 'speed' } },
  -- -C and -F run a command and a function.
  compgen = {
    flags = '-a -b -c -d -e -f -g -j -k -s -u -v', values = '-A -P -S -X -o -W',
  },
  help = { flags = '-d -m -s' },
  ['fg bg'] = { any_words = true },
  disown = { flags = '-a -h -r' },
  -- An alias is another name for a command: it is only shown.
  alias = { flags = '-p', not_operand = '*=*' },
  unalias = { flags = '-a' },
  -- The code is judged by itself.
  trap = { any_words = true, flags = '-l -p' },
  type = { any_words = true, flags = '-a -f -p -P -t' },
  hash = { flags = '-d -l -r -t', not_operand = '*=*' },
  ['command'] = { any_words = true, flags = '-p -v -V' },
  builtin = {},
  exec = { flags = '-c -l', values = '-a' },
  eval = {},
  -- Only shows; -w, -a, -c, -d, -r, -s and -p change or evaluate.
  history = { operands = 1, operand = '0* 1* 2* 3* 4* 5* 6* 7* 8* 9*' },
  ['bash rbash sh dash ash zsh ksh'] = SHELL,

  xargs = {
    flags = '-0 --null -r --no-run-if-empty -t --verbose -x --exit -p --interactive -o --open-tty '
      .. '--show-limits --replace --eof',
    values = '-a --arg-file -d --delimiter -E -I -J -L -n --max-args --max-lines -P --max-procs '
      .. '-R -s --max-chars -S',
    attached = '-i -e -l',
  },
  ['timeout gtimeout'] = {
    flags = '--preserve-status --foreground -v --verbose -f -p',
    values = '-k --kill-after -s --signal',
  },
  -- -o writes.
  time = { flags = '-p --portability -v --verbose -V -l -q --quiet', values = '-f --format' },
  nice = { digits = true, values = '-n --adjustment' },
  ionice = { flags = '-t --ignore', values = '-c --class -n --classdata' },
  taskset = { flags = '-c --cpu-list' },
  stdbuf = { values = '-i --input -o --output -e --error' },
  env = {
    -- env alone shows all variables, secrets too: no rule allows it.
    flags = '-i --ignore-environment -0 --null -v --debug --default-signal --ignore-signal '
      .. '--block-signal',
    values = '-u --unset -C --chdir -S --split-string',
  },
  ['noglob nocorrect'] = {},
  setsid = { flags = '-w --wait' },
  unbuffer = { flags = '-p' },
  watch = {
    flags = '-d --differences -p --precise -t --no-title -b --beep -e --errexit -g --chgexit -c '
      .. '--color -C --no-color -x --exec -w --no-wrap -r --no-rerun',
    values = '-n --interval -q --equexit',
  },
}
