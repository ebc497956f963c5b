-- Tools of single languages and formats, and what looks into running Java programs.
-- A process.
local PID = { '0*', '1*', '2*', '3*', '4*', '5*', '6*', '7*', '8*', '9*' }

local CSVKIT = '-t --tabs -S --skipinitialspace --blanks -z --maxfieldsize -H --no-header-row '
  .. '--zero -l --linenumbers -i --invert-match -a --any-match -n --names -r --regex-anywhere '
  .. '--csv --freq --non-nulls --count --json --nulls --unique --min --max --sum --mean --median '
  .. '--stdev --len --type -x --delete-empty-rows -I --no-inference -y --snifflimit --reverse '
  .. '--stream --left --right --outer'
local CSVKIT_VALUES = '-d --delimiter -q --quotechar -u --quoting -b --doublequote -p --escapechar '
  .. '-e --encoding -c --columns -m --match -K --skip-lines -C --not-columns --max-rows '
  .. '--max-columns --max-column-width --indent --key --freq-count -g --groups'

return {
  javap = {
    single_dash_long = true,
    flags = '-c -l -s -p -v -public -protected -package -private -sysinfo -constants -verbose '
      .. '-version -help',
    values = '-cp -classpath --class-path --module -m --system --module-path -bootclasspath',
  },
  -- With an operand, jps asks another machine.
  jps = {
    single_dash_long = true, flags = '-l -m -v -q -V -lv -lm -mlv -mlvV -help', operands = 0,
  },
  -- The rest of what jcmd asks a program for changes it or writes files.
  jcmd = {
    flags = '-l -h',
    operand = {
      '0*', '1*', '2*', '3*', '4*', '5*', '6*', '7*', '8*', '9*', 'VM.version', 'VM.uptime',
      'VM.flags', 'VM.info', 'VM.metaspace', 'Thread.print', 'GC.heap_info', 'GC.class_histogram',
      'GC.finalizer_info', 'VM.native_memory', 'summary', 'VM.class_hierarchy',
      'VM.classloader_stats', 'Compiler.queue', 'help',
    },
  },
  ['jstack jinfo'] = {
    single_dash_long = true, flags = '-l -e -flags', operand = PID, operands = 1,
  },
  jstat = {
    single_dash_long = true,
    flags = '-class -compiler -gc -gccapacity -gccause -gcnew -gcold -gcutil -gcmetacapacity '
      .. '-options -t',
    values = '-h',
    operand = PID,
  },
  ['kotlinc kotlin scala groovy'] = {
    single_dash_long = true, flags = '-version', needs = '-version', operands = 0,
  },
  -- They say how a library or an interpreter was built.
  ['pg_config mysql_config mariadb_config php-config python3-config python-config llvm-config '
    .. 'xml2-config xslt-config curl-config sdl2-config krb5-config gpg-error-config '
    .. 'libgcrypt-config pcre-config pcre2-config icu-config freetype-config'] = {
    flags = '--bindir --docdir --htmldir --includedir --pkgincludedir --includedir-server --libdir '
      .. '--pkglibdir --localedir --mandir --sharedir --sysconfdir --pgxs --configure --cc '
      .. '--cppflags --cflags --cflags_sl --ldflags --ldflags_ex --ldflags_sl --libs --include '
      .. '--libs_r --plugindir --socket --port --prefix --extension-dir --vernum --php-binary '
      .. '--includes --extension-suffix --abiflags --configdir --exec-prefix --embed --cxxflags '
      .. '--libnames --libfiles --components --targets-built --host-target --build-mode '
      .. '--obj-root --src-root --system-libs --link-static --link-shared --ca --protocols '
      .. '--features --static-libs --all --vendor --defaults --deps --static --dynamic --shared '
      .. '--ftversion --libtool --exslt --disable-static',
  },
  gron = {
    flags = '-u --ungron -c --colorize -m --monochrome -s --stream -k --insecure -j --json -v '
      .. '--values --no-sort',
    not_operand = { 'http:*', 'https:*' }, -- it fetches them
  },
  ['csvcut csvgrep csvstat csvlook csvjson csvsort csvjoin csvstack csvformat in2csv'] = {
    flags = CSVKIT, values = CSVKIT_VALUES,
  },
  -- Its put, filter and tee run code and write; --prepipe runs programs.
  mlr = {
    flags = '--icsv --ojson --ijson --ocsv --csv --json --tsv --itsv --otsv --ixtab --oxtab '
      .. '--opprint --ipprint --c2j --c2p --c2t --c2m --c2b --c2x --j2c --j2t --j2p --t2c --t2j '
      .. '--t2p --inidx --onidx --idkvp --odkvp --barred --implicit-csv-header '
      .. '--headerless-csv-output --allow-ragged-csv-input -n -r -a -nr -nf -f -g -o --ofmt',
    values = '--ifs --ofs --fs --ips --ops --irs --ors --nr-progress-mod',
    not_operand = {
      'put', 'filter', 'tee', 'split', 'case', 'summary', 'nothing', 'template', 'repl',
    },
    single_dash_long = true,
  },
  tesseract = { flags = '--list-langs --print-parameters', operands = 0 },
  -- -s sets limits.
  sensors = '-A --no-adapter -u -f --fahrenheit -j',
  modinfo = { flags = '-0 --null -a --author -d --description -l --license -p --parameters -n '
    .. '--filename', values = '-F --field -k --set-version -b --basedir' },
  pyenv = {
    alone = true,
    subcommands = {
      ['which, whence, versions, version, version-name, version-origin, prefix, root, shims, '
        .. 'commands, latest, help'] = { flags = '--bare --skip-aliases --path -k --known -q' },
      ['global, local'] = { operands = 0 },
    },
  },
  ['rye pixi'] = {
    flags = '-q --quiet -v --verbose',
    subcommands = {
      ['show, list, version, info, tree, task list, workspace platform list'] = {
        flags = '--installed-deps --pyproject --json',
        operands = 0,
      },
    },
  },
  dlv = { subcommands = { ['version, help'] = {} } },
  k9s = { subcommands = { ['version, info, help'] = '-s --short' } },
  ['ansible-config'] = {
    subcommands = { ['list, dump, view'] = '--only-changed -v --verbose' },
  },
  pacman = {
    flags = '-Q -Qi -Qii -Ql -Qs -Qo -Qe -Qm -Qn -Qk -Qkk -Qd -Qt -Qdt -Qdtq -Qet -Qu -Qq -Qqe '
      .. '-Ss -Si -Sii -Sl -Sg -F -Fl -Fx -q -i -l -s -o --quiet --info --list --search --owns '
      .. '--query',
    needs = '-Q -Qi -Qii -Ql -Qs -Qo -Qe -Qm -Qn -Qk -Qkk -Qd -Qt -Qdt -Qdtq -Qet -Qu -Qq -Qqe '
      .. '-Ss -Si -Sii -Sl -Sg -F -Fl -Fx --query',
    single_dash_long = true,
  },
  ['nix-env'] = {
    flags = '-q --query -a --available -P --attr-path --installed --description --status -s '
      .. '--json --no-name --out-path',
    needs = '-q --query',
  },
  nuget = {
    single_dash_long = true,
    subcommands = {
      locals = {
        single_dash_long = true, flags = '-list', needs = '-list',
        operand = { 'all', 'http-cache', 'global-packages', 'temp', 'plugins-cache' },
      },
      ['list, search'] = {
        single_dash_long = true, flags = '-Verbose -AllVersions -PreRelease',
        values = '-Take -Verbosity',
      },
    },
  },
}
