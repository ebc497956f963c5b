-- Interpreters other than shells, and where their code comes from. languages.lua says which code
-- needs no approval.
-- `interactive`: flags with which it reads code from its input after it has run other code.
local function with_code(flags, language, values, more, interactive)
  local program = {
    options_first = true,
    values = flags .. ' ' .. values,
    runs = {
      { how = 'code', from = flags, language = language },
      { how = 'file', language = language, unless = flags .. ' ' .. (more or '') },
      { how = 'stdin', language = language, unless = flags .. ' ' .. (more or '') },
    },
  }
  if interactive then
    -- After any number of operands.
    program.runs[#program.runs + 1] = {
      how = 'stdin', language = language, when = interactive, skip = 100,
    }
  end
  return program
end

-- -m runs a module; -V, --version and -h only print.
local PYTHON = with_code('-c', 'python', '-m -W -X -Q --check-hash-based-pycs',
  '-m -V --version -h --help', '-i')
local NODE = with_code('-e --eval -p --print -pe', 'javascript',
  '-r --require --import --loader --experimental-loader -C --conditions --env-file '
    .. '--test-name-pattern --test-reporter --title', '-v --version -h --help --test',
  '-i --interactive')
NODE.executes = '-r --require --import --loader --experimental-loader'
NODE.single_dash_long = true -- -pe

local PERL = with_code('-e -E', 'perl', '-I -M -m -F', '-v -V --version')
PERL.executes = '-I'
PERL.accesses = {
  { access = 'write', of = 'operands', when = '-i' },
  { access = 'read', of = 'operands', when = '-e -E' },
}
PERL.options_first = nil

local RUBY = with_code('-e', 'ruby', '-I -r -F -E -C', '-v --version -h')
RUBY.executes = '-r -I'
RUBY.accesses = {
  { access = 'write', of = 'operands', when = '-i' },
  { access = 'read', of = 'operands', when = '-e' },
}

local LUA = with_code('-e', 'lua', '-l -b -O -j', '-v', '-i')

local PHP = with_code('-r -B -R -E --run', 'php', '-c -d -f -F -S -t -z', '-v --version -i -m -l '
  .. '-S')
PHP.executes = '-f -F -z'

-- Packages by name, or directories of them.
local LOCAL = { executes = 'operands' }

return {
  ['python python2 python3 python2.* python3.* pypy pypy3 ipython ipython3 micropython'] = PYTHON,
  ['node nodejs iojs'] = NODE,
  perl = PERL,
  ['perl5* raku'] = PERL,
  ['ruby jruby irb'] = RUBY,
  ['ruby2* ruby3*'] = RUBY,
  ['lua luajit lua5.1 lua5.2 lua5.3 lua5.4 texlua'] = LUA,
  ['php php7* php8*'] = PHP,
  bun = {
    values = '-e --eval -p --print --cwd -r --preload -c --config',
    cwd = '--cwd',
    executes = { 'first', '-r --preload' },
    runs = { { how = 'code', from = '-e --eval -p --print', language = 'javascript' } },
    subcommands = {
      run = {},
      x = { options_first = true, runs = { { how = 'argv' } } },
      exec = { runs = { { how = 'joined' } } },
      install = LOCAL, i = LOCAL, add = LOCAL, link = LOCAL,
      remove = {}, test = {}, build = {}, update = {}, publish = {},
      create = {}, init = {}, pm = {},
    },
  },
  deno = {
    values = '-c --config --import-map -L --log-level',
    executes = '-c --config --import-map',
    subcommands = {
      eval = {
        values = '--ext',
        runs = { { how = 'code', from = 'first', language = 'javascript' } },
      },
      run = {
        options_first = true,
        executes = 'first',
        values = '-c --config --import-map',
      },
      test = {}, fmt = {}, lint = {}, check = {}, task = {}, cache = {}, install = {}, add = {},
      publish = {}, upgrade = {}, compile = {}, bench = {}, info = {}, doc = {},
    },
  },
  ['ts-node tsx esno swc-node babel-node'] = with_code('-e --eval -p --print', 'javascript',
    '-r --require -P --project -T', '-v --version'),
  ['Rscript R littler r'] = {
    options_first = true,
    values = '-e -f --file',
    executes = '-f --file',
    runs = {
      { how = 'code', from = '-e', language = 'r' },
      { how = 'file', language = 'r', unless = '-e --version CMD' },
    },
  },
  ['julia'] = with_code('-e --eval -E --print', 'julia', '-L --load -p -t --threads -J --project',
    '-v --version'),
  ['tclsh wish jimsh'] = {
    runs = { { how = 'file', language = 'tcl' }, { how = 'stdin', language = 'tcl' } },
  },
  ['guile racket scheme sbcl clisp ecl csi gsi chez'] = with_code('-e --eval -c --eval-string -x',
    'lisp', '-l --load -s -L', '--version'),
  ['ghc runghc runhaskell'] = with_code('-e', 'haskell', '-o -i -package', '--version --make'),
  ['ocaml utop'] = with_code('-e', 'ocaml', '-I -init', '-version'),
  ['erl elixir iex'] = with_code('-e --eval -eval --rpc-eval', 'elixir', '-S -r -pa -pz -s '
    .. '-noshell',
    '-v --version'),
  ['groovy kotlin kotlinc scala jshell clojure clj bb'] = with_code('-e --eval', 'jvm',
    '-cp -classpath -script -M -A', '-version --version'),
  gnuplot = with_code('-e', 'gnuplot', '-c -geometry', '--version -V -h --help'),
  ['osascript'] = {
    values = '-e -l -s',
    runs = {
      { how = 'code', from = '-e', language = 'applescript' },
      { how = 'file', language = 'applescript', unless = '-e' },
      { how = 'stdin', language = 'applescript', unless = '-e' },
    },
  },
  java = {
    single_dash_long = true,
    options_first = true,
    values = '-cp -classpath --class-path -jar -p --module-path -m --module --add-modules '
      .. '--add-opens --add-exports',
    executes = { '-jar', '-cp -classpath --class-path' },
  },
}
