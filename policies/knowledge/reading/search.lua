-- Programs that search for files and in files, and what tells of a file.
local GREP = {
  any_words = true,
  digits = true,
  flags = '-V -E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -i -y '
    .. '--ignore-case --no-ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c '
    .. '--count --color --colour -L --files-without-match -l --files-with-matches -o '
    .. '--only-matching -q --quiet --silent -s --no-messages -b --byte-offset -H --with-filename '
    .. '-h --no-filename -n --line-number -T --initial-tab -Z -z --null --null-data '
    .. '--no-group-separator -a --text -I -r --recursive -R --dereference-recursive -S -O -p '
    .. '--line-buffered -U --binary -u --unix-byte-offsets --context',
  values = '-e --regexp -f --file -m --max-count --label -A --after-context -B --before-context '
    .. '-C --group-separator --binary-files -D --devices -d --directories --exclude '
    .. '--exclude-from --exclude-dir --include --include-dir',
}

local LS = {
  any_words = true,
  flags = '-a --all -A --almost-all --author -b --escape -B --ignore-backups -c -C --color -d '
    .. '--directory -D --dired -f -F --classify --file-type --full-time -g '
    .. '--group-directories-first -G --no-group -h --human-readable --si -H '
    .. '--dereference-command-line --dereference-command-line-symlink-to-dir --hyperlink -i '
    .. '--inode -k --kibibytes -l -L --dereference -m -n --numeric-uid-gid -N --literal -o -O -p '
    .. '-q --hide-control-chars --show-control-chars -Q --quote-name -r --reverse -R --recursive '
    .. '-s --size -S -t -u -U -v -x -X -Z --context --zero -1 -@ -e -% -W',
  values = '--block-size --format --hide --indicator-style -I --ignore --quoting-style --sort '
    .. '--time --time-style --tabsize --width -w -T',
}

local EXA = {
  any_words = true,
  flags = '-1 --oneline -l --long -G --grid -x --across -R --recurse -T --tree -F --classify '
    .. '--color --colour --color-scale --colour-scale --icons --no-icons --hyperlink -a --all -A '
    .. '--almost-all -d --list-dirs -r --reverse --group-directories-first '
    .. '--group-directories-last -D --only-dirs -f --only-files --git-ignore -b --binary -B '
    .. '--bytes -g --group -h --header -H --links -i --inode -m --modified -M --mounts -n '
    .. '--numeric -S --blocksize -u --accessed -U --created --changed -@ --extended -Z --context '
    .. '--git --no-git --git-repos --no-permissions -o --octal-permissions --no-filesize '
    .. '--no-user --no-time --smart-group -X --dereference --total-size --no-quotes -v -?',
  values = '-L --level -s --sort -I --ignore-glob -t --time --time-style -w --width '
    .. '--color-scale-mode',
}

local FIND = {
  single_dash_long = true,
  flags = '-P -L -H -O0 -O1 -O2 -O3 -E -X -x -s -d -daystart -depth -follow -help '
    .. '-ignore_readdir_race -noignore_readdir_race -noleaf -version -xdev -mount -warn -nowarn '
    .. '-empty -executable -false -nogroup -nouser -readable -true -writable -ls -print -print0 '
    .. '-prune -quit -a -and -o -or -not '
    -- What follows these two is a command of its own, and judged as one.
    .. '-exec -execdir',
  values = '-D -f -regextype -maxdepth -mindepth -amin -anewer -atime -cmin -cnewer -ctime '
    .. '-fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -mmin '
    .. '-mtime -name -newer -newermt -newerat -newerct -newermm -newerma -newermc -neweraa '
    .. '-newercc -newerBt -path -perm -regex -samefile -size -type -uid -used -user -wholename '
    .. '-xtype -context -printf -flags -files0-from',
}

local STATUS = '-h -V'

return {
  ['ls dir vdir gls'] = LS,
  lsd = {
    any_words = true,
    flags = '-a --all -A --almost-all -F --classify -l --long -1 --oneline -R --recursive -h '
      .. '--human-readable --tree -d --directory-only -t --timesort -S --sizesort -X '
      .. '--extensionsort -G --gitsort -v --versionsort -U --no-sort -r --reverse '
      .. '--group-directories-first --classic --no-symlink --total-size -i --inode -g --git -L '
      .. '--dereference -Z --context --hyperlink --header -N --literal -V --ignore-config --icon '
      .. '--color',
    values = '--icon-theme --permission --size --depth -I --ignore-glob --date --blocks --sort '
      .. '--group-dirs --truncate-owner-after',
  },
  ['exa eza'] = EXA,
  -- -o writes; the directory of -H and the script of --houtro only appear in the output.
  tree = {
    flags = '-a -d -l -f -x -R --gitignore --ignore-case --matchdirs --metafirst --prune --info '
      .. '--noreport -q -N -Q -p -u -g -s -h --si --du -D -F --inodes --device -v -t -c -U -r '
      .. '--dirsfirst --filesfirst -i -A -S -n -C -X -J --nolinks --hintro --houtro --hyperlink '
      .. '--opt-toggle',
    values = '-L -P -I --filelimit --timefmt --sort --charset -H -T --gitfile --infofile',
    only = { ['--hintro --houtro'] = '/dev/null' },
  },
  ['find gfind'] = FIND,
  ['fd fdfind'] = {
    flags = '-H --hidden --no-hidden -I --no-ignore --ignore --no-ignore-vcs --no-ignore-parent '
      .. '--no-require-git --no-global-ignore-file -u --unrestricted -s --case-sensitive -i '
      .. '--ignore-case -g --glob --regex -F --fixed-strings --and -a --absolute-path '
      .. '--relative-path -l --list-details -L --follow --no-follow -p --full-path -0 --print0 '
      .. '--prune -q --quiet --has-results --show-errors --one-file-system --mount --xdev -1 -V -h '
      .. '--color --hyperlink --strip-cwd-prefix '
      -- What follows these is a command of its own, and judged as one.
      .. '-x --exec -X --exec-batch',
    only = { ['--exec --exec-batch'] = {} },
    values = '-d --max-depth --min-depth --exact-depth -E --exclude -t --type -e --extension -S '
      .. '--size --changed-within --changed-before --newer --older --change-newer-than '
      .. '--change-older-than -o --owner --format -c --ignore-file -j --threads '
      .. '--max-results -C --base-directory --path-separator --search-path --batch-size '
      .. '--max-buffer-time',
  },
  ['grep egrep fgrep ggrep rgrep pcregrep pcre2grep'] = GREP,
  -- These hand the options on to grep.
  ['zgrep bzgrep xzgrep'] = GREP,
  rg = {
    flags = '--auto-hybrid-regex --no-auto-hybrid-regex --binary --no-binary --block-buffered -b '
      .. '--byte-offset -s --case-sensitive --column --no-column -c --count --count-matches --crlf '
      .. '--debug --trace --files -l --files-with-matches --files-without-match -F '
      .. '--fixed-strings --no-fixed-strings -L --follow --no-follow --glob-case-insensitive '
      .. '--heading --no-heading -. --hidden --no-hidden -i --ignore-case '
      .. '--ignore-file-case-insensitive --include-zero -v --invert-match --json --line-buffered '
      .. '-n --line-number -x --line-regexp --max-columns-preview --mmap --no-mmap -U --multiline '
      .. '--multiline-dotall --no-multiline --no-config -I --no-filename --no-ignore '
      .. '--no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global '
      .. '--no-ignore-messages --no-ignore-parent --no-ignore-vcs -N --no-line-number '
      .. '--no-messages --no-pcre2-unicode --no-require-git --no-unicode -0 --null --null-data '
      .. '--one-file-system -o --only-matching --passthru --passthrough -P --pcre2 '
      .. '--pcre2-version -p --pretty -q --quiet -S --smart-case --stats -a --text --trim '
      .. '--type-list -u --unrestricted --vimgrep -H --with-filename -w --word-regexp '
      .. '--stop-on-nonmatch --no-context-separator -V -h',
    values = '-A --after-context -B --before-context --color --colors -C --context '
      .. '--context-separator --dfa-size-limit -E --encoding --engine --field-context-separator '
      .. '--field-match-separator -f --file -g --glob --iglob --ignore-file -M --max-columns -m '
      .. '--max-count -d --max-depth --maxdepth --max-filesize --path-separator '
      .. '--regex-size-limit -e --regexp -r --replace --sort --sortr -j --threads -t --type '
      .. '--type-add --type-clear -T --type-not --generate --hyperlink-format',
  },
  ag = {
    flags = '--ackmate -c --count --color --nocolor --column --filename --nofilename -H --heading '
      .. '--noheading -l --files-with-matches -L --files-without-matches --nonumbers --numbers '
      .. '--null -0 -o --only-matching --passthrough --silent --stats --stats-only --vimgrep '
      .. '--nobreak --break --group --nogroup -a --all-types -D --debug -f --follow -F '
      .. '--fixed-strings --hidden -i --ignore-case -n --norecurse -Q --literal -r -R --recurse '
      .. '-s --case-sensitive -S --smart-case --search-binary -t --all-text -u --unrestricted -U '
      .. '--skip-vcs-ignores -v --invert-match -w --word-regexp --one-device --nopager '
      .. '--list-file-types --multiline --nomultiline --mmap --nommap --noaffinity '
      .. '--print-long-lines --python --js --cpp --cc --go --rust --java --ruby --php --html '
      .. '--css --json --yaml --markdown --shell --lua --ts --xml --sql',
    values = '-A --after -B --before -C --context -G --file-search-regex -g --filename-pattern '
      .. '--ignore --ignore-dir -m --max-count -W --width --depth --color-match --color-path '
      .. '--color-line-number --workers',
  },
  ack = {
    flags = '-i --ignore-case --no-ignore-case -S --smart-case --no-smart-case -I -v '
      .. '--invert-match -w --word-regexp -Q --literal -c --count -l --files-with-matches -L '
      .. '--files-without-matches -o -h --no-filename -H --with-filename -f -n --no-recurse -r -R '
      .. '--recurse -s --column --nocolumn --color --nocolor --colour --nocolour --group '
      .. '--nogroup --heading --noheading --break --nobreak -1 -a --all --passthru --noenv '
      .. '--nopager --show-types --follow --nofollow --env --underline --print0 --sort-files '
      .. '--flush --help-types --nofilter --python --js --cpp --cc --go --rust --java --ruby '
      .. '--perl --php --html --css --json --yaml --markdown --shell --lua --ts --xml --sql',
    values = '-A --after-context -B --before-context -C --context -g -m --max-count --ignore-dir '
      .. '--noignore-dir --ignore-file -t --type -T --type-set --type-add --type-del --output -x '
      .. '--proximate --range-start --range-end --match',
    only = { ['-x'] = '/dev/null' },
  },
  stat = {
    any_words = true,
    flags = '-L --dereference -f --file-system -t --terse -x -r -s -l -n -q -F',
    values = '-c --format --printf --cached',
  },
  -- -C compiles; -m, -M and -P change what is loaded.
  file = {
    flags = '--apple -b --brief -c --checking-printout -d -E --extension -h --no-dereference -i '
      .. '-I --mime --mime-type --mime-encoding -k --keep-going -l --list -L --dereference -N '
      .. '--no-pad -n --no-buffer -r --raw -s --special-files -v -0 --print0 --exclude-quiet',
    values = '-e --exclude -F --separator -f --files-from',
  },
  readlink = {
    any_words = true,
    flags = '-f --canonicalize -e --canonicalize-existing -m --canonicalize-missing -n '
      .. '--no-newline -q --quiet -s --silent -v --verbose -z --zero',
  },
  realpath = {
    any_words = true,
    flags = '-e --canonicalize-existing -E --canonicalize -m --canonicalize-missing -L --logical '
      .. '-P --physical -q --quiet -s --strip --no-symlinks -z --zero',
    values = '--relative-to --relative-base',
  },
  dirname = { any_words = true, flags = '-z --zero' },
  basename = { any_words = true, flags = '-a --multiple -z --zero', values = '-s --suffix' },
  pathchk = { any_words = true, flags = '-p -P --portability' },
  namei = {
    any_words = true,
    flags = '-l --long -m --modes -n --nosymlinks -o --owners -v --vertical -x --mountpoints -Z '
      .. '--context ' .. STATUS,
  },
  lsattr = { any_words = true, flags = '-R -V -a -d -l -p -v' },
  getfacl = {
    any_words = true,
    flags = '-a --access -d --default -c --omit-header -e --all-effective -E --no-effective -s '
      .. '--skip-base -R --recursive -L --logical -P --physical -t --tabular -p '
      .. '--absolute-names -n --numeric -1 --one-file-system -v -h',
  },
  getfattr = {
    any_words = true,
    flags = '-d --dump -h --no-dereference --absolute-names --only-values -R --recursive -L '
      .. '--logical -P --physical -V',
    values = '-n --name -e --encoding -m --match',
  },
  getcap = { any_words = true, flags = '-h -n -r -v' },
  du = {
    any_words = true,
    digits = true,
    flags = '-0 --null -a --all -A --apparent-size -b --bytes -c --total -D --dereference-args -g '
      .. '-H -h --human-readable --inodes -k -L --dereference -l --count-links -m -n -P '
      .. '--no-dereference -r -S --separate-dirs --si -s --summarize -x --one-file-system --time',
    values = '-B --block-size -d --max-depth --files0-from -t --threshold --time-style -X '
      .. '--exclude-from --exclude -I',
  },
  df = {
    any_words = true,
    flags = '-a --all -h --human-readable -H --si -i --inodes -k -l --local -m -g -b -n -I '
      .. '--no-sync --sync --total -P --portability -T --print-type -v -Y --output',
    values = '-B --block-size -t --type -x --exclude-type',
  },
  dust = {
    flags = '-r --reverse -p --full-paths -x --limit-filesystem -s --apparent-size -b '
      .. '--no-percent-bars -B --bars-on-right -R --screen-reader --skip-total -f --filecount -i '
      .. '--ignore_hidden -c --no-colors -C --force-colors -F --only-file -D --only-dir -t '
      .. '--file_types -H --si -P --no-progress -L --dereference-links -j --output-json -h -V',
    values = '-d --depth -T --threads -n --number-of-lines -X --ignore-directory -z --min-size -v '
      .. '--invert-filter -e --filter -w --terminal_width -o --output-format -S --stack-size -M '
      .. '--mtime -A --atime -y --ctime',
  },
  -- `dua` alone; its interactive form removes.
  dua = {
    flags = '-A --apparent-size -l --count-hard-links -x --stay-on-filesystem -h -V',
    values = '-f --format -t --threads -i --ignore-dirs',
    not_operand = { 'i', 'interactive', 'config' },
  },
  ['locate mlocate plocate'] = {
    flags = '-A --all -b --basename -c --count -e --existing -i --ignore-case -0 --null -N '
      .. '--literal -p --ignore-spaces -q --quiet -r --regexp --regex -w --wholename -P --nofollow '
      .. '-H -L --follow -S --statistics -h -V',
    values = '-l --limit -n',
  },
  which = {
    any_words = true,
    flags = '-a --all -s --skip-alias --skip-dot --skip-functions --skip-tilde --show-dot '
      .. '--show-tilde --tty-only -v -V',
  },
  whereis = { flags = '-b -m -s -u -f -l -h -V', values = '-B -M -S' },
}
