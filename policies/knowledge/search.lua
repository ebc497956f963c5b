-- Programs that search for files and in files, and what they can do with what they find.
local FIND_VALUES = '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype '
  .. '-lname -ilname -type -xtype -size -perm -user -group -uid -gid -links -inum -samefile '
  .. '-newer -anewer -cnewer -newermt -newerat -newerct -newermm -mtime -mmin -atime -amin '
  .. '-ctime -cmin -used -maxdepth -mindepth -fstype -printf -fprint -fprint0 -fprintf -fls -D '
  .. '-files0-from -context'

return {
  ['find gfind'] = {
    single_dash_long = true,
    values = FIND_VALUES,
    enters = 'operands',
    lists = true,
    text = '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname',
    filters = '-name -iname -path -ipath -wholename -lname -regex -iregex -newer -newermt -mtime '
      .. '-atime -ctime -mmin -amin -cmin -size -empty -user -group -perm -links -inum -samefile '
      .. '-executable',
    reads = '-newer -samefile -files0-from',
    writes = '-fprint -fprint0 -fprintf -fls',
    accesses = {
      { access = 'remove', of = 'operands', when = '-delete', recursive = true },
    },
    runs = {
      {
        how = 'until', from = '-exec -execdir -ok -okdir', appends = true, ends_at_plus = true,
      },
    },
  },
  ['fd fdfind'] = {
    values = '-d --max-depth --min-depth -t --type -e --extension -E --exclude -S --size '
      .. '--changed-within --changed-before -o --owner -j --threads -c -C --base-directory '
      .. '--search-path --ignore-file --format --and --max-results --exact-depth --path-separator',
    cwd = '-C --base-directory',
    text = 'first -E --exclude',
    enters = { 'rest', '--search-path' },
    lists = 'names',
    runs = { { how = 'until', from = '-x --exec -X --exec-batch', appends = true } },
  },
  ['grep egrep fgrep zgrep bzgrep xzgrep ggrep pcregrep pcre2grep'] = {
    values = '-e --regexp -f --file -m --max-count -A --after-context -B --before-context -C '
      .. '--context -d --directories -D --devices --include --exclude --exclude-dir '
      .. '--exclude-from --label --binary-files',
    reads = '-f --file --exclude-from',
    text = 'first -e --regexp --include --exclude --exclude-dir --label',
    accesses = {
      { access = 'read', of = 'rest', unless = '-e --regexp -f --file' },
      { access = 'read', of = 'operands', when = '-e --regexp -f --file' },
      {
        access = 'read', of = 'rest', recursive = true,
        when = '-r -R --recursive --dereference-recursive',
      },
    },
  },
  rgrep = { text = 'first', accesses = { { access = 'read', of = 'rest', recursive = true } } },
  rg = {
    values = '-e --regexp -f --file -g --glob --iglob -t --type -T --type-not --type-add -m '
      .. '--max-count -A --after-context -B --before-context -C --context -d --max-depth -M '
      .. '--max-columns -r --replace -j --threads -E --encoding --ignore-file --sort --sortr '
      .. '--pre --pre-glob --hostname-bin --max-filesize --color --colors --engine',
    reads = '-f --file --ignore-file',
    text = 'first -e --regexp -g --glob --iglob --type-add -r --replace',
    accesses = {
      {
        access = 'read', of = 'rest', recursive = true,
        unless = '-e --regexp -f --file --files --type-list',
      },
      {
        access = 'read', of = 'operands', recursive = true,
        when = '-e --regexp -f --file',
      },
      { access = 'enter', of = 'operands', when = '--files' },
    },
    runs = {
      { how = 'shell', from = '--pre' },
      { how = 'shell', from = '--hostname-bin' },
    },
  },
  ['ag ack'] = {
    text = 'first -G --file-search-regex',
    values = '-A --after -B --before -C --context -m --max-count -G --file-search-regex --ignore '
      .. '--ignore-dir --pager --type --depth --path-to-ignore --ackrc',
    accesses = { { access = 'read', of = 'rest', recursive = true } },
    executes = '--ackrc',
    runs = { { how = 'shell', from = '--pager' } },
  },
  ['ast-grep'] = {
    text = '-p --pattern -r --rewrite',
    values = '-p --pattern -r --rewrite -l --lang -c --config --selector --strictness -j',
    accesses = {
      { access = 'read', of = 'rest', recursive = true },
      { access = 'write', of = 'rest', when = '-U --update-all', recursive = true },
    },
  },
  ['ls dir vdir gls exa eza lsd'] = {
    lists = 'names',
    filters = '-I --ignore --hide',
    enters = 'operands',
  },
  tree = {
    values = '-o',
    enters = 'operands',
    writes = '-o',
  },
  ['stat file readlink realpath dirname basename pathchk namei lsattr getfacl getfattr getcap'] = {
    enters = 'operands',
  },
  ['du dust dua ncdu'] = {
    enters = 'operands',
  },
  ['df'] = { enters = 'operands' },
  ['locate mlocate plocate'] = { text = 'operands',},
  updatedb = { values = '-o --output', writes = '-o --output' },
  fzf = {
    values = '--preview --bind --history',
    writes = '--history',
    runs = {
      { how = 'shell', from = '--preview' },
      { how = 'shell', from = '--bind', strip_prefix = 'enter:execute' },
    },
  },
  ['ctags etags'] = { values = '-f -o', writes = '-f -o', reads = 'operands' },
}
