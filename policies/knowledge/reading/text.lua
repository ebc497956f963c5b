-- Programs that show, compare, sort and transform text.
local CHECKSUM = {
  any_words = true,
  flags = '-b --binary -c --check --tag --untagged -t --text -z --zero --ignore-missing --quiet '
    .. '--status --strict -w --warn --debug --base64 --raw',
  values = '-a --algorithm -l --length',
}

-- zcat and its kind only ever write to the standard output.
local UNPACKED = '-c --stdout --to-stdout -d --decompress --uncompress -f --force -k --keep -q '
  .. '--quiet -v --verbose -V -h'

local DIFF = {
  any_words = true,
  digits = true,
  flags = '--normal -q --brief -s --report-identical-files -c -u -e --ed -n --rcs -y '
    .. '--side-by-side --left-column --suppress-common-lines -p --show-c-function -t '
    .. '--expand-tabs -T --initial-tab --suppress-blank-empty -r --recursive --no-dereference -N '
    .. '--new-file -P --unidirectional-new-file --ignore-file-name-case '
    .. '--no-ignore-file-name-case -i --ignore-case -E --ignore-tab-expansion -Z '
    .. '--ignore-trailing-space -b --ignore-space-change -w --ignore-all-space -B '
    .. '--ignore-blank-lines -a --text --strip-trailing-cr -d --minimal -H --speed-large-files '
    .. '-v --color --context --unified',
  values = '-C -U -W --width -F --show-function-line -L --label --tabsize -x --exclude -X '
    .. '--exclude-from -S --starting-file --from-file --to-file -I --ignore-matching-lines -D '
    .. '--ifdef --line-format --old-line-format --new-line-format --unchanged-line-format '
    .. '--old-group-format --new-group-format --unchanged-group-format --changed-group-format '
    .. '--horizon-lines --palette',
}

local AWK_VALUES = '-F --field-separator -v --assign -e --source'

return {
  cat = {
    any_words = true,
    flags = '-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank '
      .. '-t -T --show-tabs -u -v --show-nonprinting',
  },
  tac = { any_words = true, flags = '-b --before -r --regex', values = '-s --separator' },
  nl = {
    any_words = true,
    flags = '-p --no-renumber',
    values = '-b --body-numbering -d --section-delimiter -f --footer-numbering -h '
      .. '--header-numbering -i --line-increment -l --join-blank-lines -n --number-format -s '
      .. '--number-separator -v --starting-line-number -w --number-width',
  },
  head = {
    any_words = true,
    digits = true,
    flags = '-q --quiet --silent -v --verbose -z --zero-terminated',
    values = '-c --bytes -n --lines',
  },
  tail = {
    any_words = true,
    digits = true,
    plus = true,
    flags = '-f -F -r --follow -q --quiet --silent --retry -v --verbose -z --zero-terminated',
    values = '-c --bytes -n --lines --max-unchanged-stats --pid -s --sleep-interval',
  },
  rev = { any_words = true, flags = '-h -V -0 --zero' },
  expand = { any_words = true, digits = true, flags = '-i --initial', values = '-t --tabs' },
  unexpand = {
    any_words = true, digits = true, flags = '-a --all --first-only', values = '-t --tabs',
  },
  paste = {
    any_words = true, flags = '-s --serial -z --zero-terminated', values = '-d --delimiters',
  },
  comm = {
    any_words = true,
    flags = '-1 -2 -3 -i --check-order --nocheck-order --total -z --zero-terminated',
    values = '--output-delimiter',
  },
  fold = {
    any_words = true, digits = true, flags = '-b --bytes -c --characters -s --spaces',
    values = '-w --width',
  },
  fmt = {
    any_words = true,
    digits = true,
    flags = '-c --crown-margin -s --split-only -t --tagged-paragraph -u --uniform-spacing',
    values = '-p --prefix -w --width -g --goal',
  },
  pr = {
    any_words = true,
    digits = true,
    plus = true,
    flags = '-a --across -c --show-control-chars -d --double-space -F -f --form-feed -J '
      .. '--join-lines -m --merge -r --no-file-warnings -t --omit-header -T --omit-pagination -v '
      .. '--show-nonprinting',
    values = '--pages --columns -D --date-format -h --header -l --length -N '
      .. '--first-line-number -o --indent -w --width -W --page-width',
    attached = '-e --expand-tabs -i --output-tabs -n --number-lines -s --separator -S '
      .. '--sep-string',
  },
  wc = {
    any_words = true,
    flags = '-c --bytes -m --chars -l --lines -L --max-line-length -w --words --total',
    values = '--files0-from',
  },
  ['cksum b2sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum'] = CHECKSUM,
  sum = { any_words = true, flags = '-r -s --sysv' },
  md5 = { any_words = true, flags = '-q -r -p -t -x', values = '-s' },
  shasum = {
    any_words = true,
    flags = '-b --binary -c --check -t --text -U --UNIVERSAL -0 --01 --tag --ignore-missing -q '
      .. '--quiet -s --status --strict -w --warn -h -v',
    values = '-a --algorithm',
  },
  column = {
    any_words = true,
    flags = '-J --json -d --table-noheadings -t --table -e --table-header-repeat -L '
      .. '--keep-empty-lines -x --fillrows -h -V -m --table-maxout',
    values = '-c --output-width -o --output-separator -s --separator -N --table-columns -C '
      .. '--table-column -l --table-columns-limit -R --table-right -T --table-truncate -E '
      .. '--table-noextreme -W --table-wrap -H --table-hide -O --table-order -n --table-name -r '
      .. '--tree -i --tree-id -p --tree-parent',
  },
  colrm = { any_words = true, flags = '-h -V' },
  look = {
    any_words = true,
    flags = '-a --alternative -d --alphanum -f --ignore-case -h -V',
    values = '-t --terminate',
  },
  ['hexdump hd'] = {
    any_words = true,
    flags = '-b --one-byte-octal -X --one-byte-hex -c --one-byte-char -C --canonical -d '
      .. '--two-bytes-decimal -o --two-bytes-octal -v --no-squeezing -x --two-bytes-hex -h -V '
      .. '--color',
    values = '-e --format -f --format-file -n --length -s --skip',
    attached = '-L',
  },
  xxd = {
    flags = '-a -autoskip -b -bits -C -capitalize -d -E -EBCDIC -e -h -help -i -include -p -ps '
      .. '-postscript -plain -u -v -version',
    values = '-c -cols -g -groupsize -l -len -n -name -o -s -seek -R -offset',
    operands = 1,
  },
  od = {
    any_words = true,
    flags = '-v --output-duplicates --traditional -a -b -c -d -f -h -i -l -o -s -x -e -B -D -F -H '
      .. '-I -L -O -X --strings --width',
    values = '-A --address-radix --endian -j --skip-bytes -N --read-bytes -t --format',
    attached = '-w -S',
  },
  ['zcat bzcat'] = UNPACKED,
  ['xzcat lz4cat zstdcat'] = { flags = UNPACKED, values = '-T --threads' },
  cut = {
    any_words = true,
    flags = '-n --complement -s --only-delimited -z --zero-terminated',
    values = '-b --bytes -c --characters -d --delimiter -f --fields --output-delimiter',
  },
  tr = {
    any_words = true,
    flags = '-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1 -u',
  },
  -- A second operand is the file that it writes.
  uniq = {
    digits = true,
    flags = '-c --count -d --repeated -D -i --ignore-case -u --unique -z --zero-terminated '
      .. '--all-repeated --group',
    values = '-f --skip-fields -s --skip-chars -w --check-chars',
    operands = 1,
  },
  join = {
    any_words = true,
    flags = '-i --ignore-case --check-order --nocheck-order --header -z --zero-terminated',
    values = '-a -e -j -o -t -v -1 -2',
  },
  sort = {
    flags = '-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g '
      .. '--general-numeric-sort -i --ignore-nonprinting -M --month-sort -h --human-numeric-sort '
      .. '-n --numeric-sort -R --random-sort -r --reverse -V --version-sort --sort -c --check -C '
      .. '--debug -m --merge -s --stable -u --unique -z --zero-terminated',
    values = '--random-source --batch-size --files0-from -k --key -S --buffer-size -t '
      .. '--field-separator --parallel',
  },
  tsort = { any_words = true, flags = '-w' },
  shuf = {
    flags = '-e --echo -r --repeat -z --zero-terminated',
    values = '-i --input-range -n --head-count --random-source',
  },
  diff = DIFF,
  ['colordiff'] = DIFF,
  sdiff = {
    digits = true,
    flags = '-i --ignore-case -E --ignore-tab-expansion -Z --ignore-trailing-space -b '
      .. '--ignore-space-change -W --ignore-all-space -B --ignore-blank-lines '
      .. '--strip-trailing-cr -a --text -l --left-column -s --suppress-common-lines -t '
      .. '--expand-tabs -d --minimal -H --speed-large-files -v',
    values = '-I --ignore-matching-lines -w --width --tabsize',
  },
  diff3 = {
    digits = true,
    flags = '-A --show-all -e --ed -E --show-overlap -3 --easy-only -x --overlap-only -X -i -m '
      .. '--merge -a --text --strip-trailing-cr -T --initial-tab -v',
    values = '-L --label',
  },
  cmp = {
    any_words = true,
    flags = '-b --print-bytes -l --verbose -s --quiet --silent -v -h -x -z',
    values = '-i --ignore-initial -n --bytes',
  },
  -- These start a pager that their configuration names, never one that is in the line.
  delta = {
    flags = '-s --side-by-side -n --line-numbers --dark --light --color-only --raw --navigate '
      .. '--diff-highlight --diff-so-fancy --keep-plus-minus-markers --list-languages '
      .. '--list-syntax-themes --show-syntax-themes --show-themes --show-colors --show-config '
      .. '--hyperlinks --relative-paths --no-gitconfig -h -V',
    values = '-w --width --features --syntax-theme --theme --file-style --hunk-header-style '
      .. '--minus-style --plus-style --zero-style --tabs --true-color --wrap-max-lines '
      .. '--max-line-distance --max-line-length --default-language',
    only = { ['--paging'] = 'never' },
    attached = '--paging',
  },
  difft = {
    flags = '--check-only --exit-code --ignore-comments --skip-unchanged --strip-cr '
      .. '--list-languages --missing-as-empty -V -h',
    values = '--context --width --tab-width --display --color --background --syntax-highlight '
      .. '--byte-limit --graph-limit --parse-error-limit --override --sort-paths',
  },
  icdiff = {
    flags = '-h --head --highlight -N --line-numbers -r --recursive -s --report-identical-files '
      .. '-u --patch --whole-file --strip-trailing-cr --no-bold --no-headers --is-git-diff -W',
    values = '--cols --encoding -E --exclude-lines -L --label --tabsize -t --truncate -U '
      .. '--unified --color-map -x --exclude',
  },
  wdiff = {
    flags = '-C --copyright -i --ignore-case -1 --no-deleted -2 --no-inserted -3 --no-common -s '
      .. '--statistics -t --terminal -v -l --less-mode -p --printer -n --avoid-wraps -d '
      .. '--diff-input',
    values = '-w --start-delete -x --end-delete -y --start-insert -z --end-insert',
  },
  -- A program in jq can do nothing but compute.
  ['jq gojq'] = {
    any_words = true,
    flags = '-n --null-input -R --raw-input -s --slurp -c --compact-output -r --raw-output '
      .. '--raw-output0 -j --join-output -a --ascii-output -S --sort-keys -C --color-output -M '
      .. '--monochrome-output --tab --unbuffered --stream --stream-errors --seq -e --exit-status '
      .. '--args --jsonargs -h -V --yaml-input --yaml-output',
    values = '--indent',
    attached = '--arg --argjson --slurpfile --rawfile',
  },
  jaq = {
    flags = '-n --null-input -R --raw-input -s --slurp -c --compact-output -r --raw-output -j '
      .. '--join-output -a --ascii-output -S --sort-keys -C --color-output -M '
      .. '--monochrome-output --tab -e --exit-status -h -V',
    values = '--indent',
  },
  yq = {
    -- -s splits into files in one yq, and -i writes.
    flags = '-r --raw-output --unwrapScalar -n --null-input -c --compact-output -S '
      .. '--sort-keys -y --yaml-output -Y --yaml-roundtrip -j --tojson -P --prettyPrint -e '
      .. '--exit-status -C --colors -M --no-colors -N --no-doc -v --verbose -h -V '
      .. '--string-interpolation --header-preprocess -0 --nul-output',
    values = '-p --input-format -o --output-format -I --indent',
  },
  xq = {
    flags = '-r --raw-output -c --compact-output -n --null-input -s --slurp -S --sort-keys -x '
      .. '--xml-output -C --color -j -e -h -V',
  },
  dasel = {
    flags = '-n --null --compact --length --plain --colour -h',
    values = '-f --file -p --parser -r --read -w --write -s --selector',
    not_operand = { 'put', 'delete', 'update' },
  },
  ['base64 base32 basenc'] = {
    flags = '-d -D --decode -i --ignore-garbage --base64 --base64url --base32 --base32hex '
      .. '--base16 --base2msbf --base2lsbf --z85 --base58',
    values = '-w --wrap -b --break',
    operands = 1,
  },
  iconv = {
    flags = '-l --list -c -s --silent --verbose -? --usage -V',
    values = '-f --from-code -t --to-code',
  },
  envsubst = { flags = '-v --variables -h -V', operands = 1 },
  numfmt = {
    any_words = true,
    flags = '--debug --grouping -z --zero-terminated --header',
    values = '-d --delimiter --field --format --from --from-unit --invalid --padding --round '
      .. '--suffix --to --to-unit',
  },
  factor = { any_words = true, flags = '-h --exponents' },
  -- The languages of bc and dc: GNU dc has !COMMAND, and both read files of code.
  bc = { flags = '-l --mathlib -w --warn -s --standard -q --quiet -h -v', operands = 0 },
  sed = {
    flags = '-n --quiet --silent --debug --posix -E -r --regexp-extended -s --separate '
      .. '--sandbox -u --unbuffered -z --null-data --follow-symlinks',
    -- -l takes no value in BSD's.
    values = '-e --expression --line-length',
  },
  ['awk gawk mawk nawk'] = {
    options_first = true,
    flags = '-b --characters-as-bytes -c --traditional -C --copyright -h --help -n '
      .. '--non-decimal-data -N --use-lc-numeric -O --optimize -P --posix -r --re-interval -s '
      .. '--no-optimize -S --sandbox -t --lint-old -V --lint -M --bignum',
    values = AWK_VALUES,
  },
  xmllint = {
    flags = '--noout --format --recover --noblanks --nonet --html --debug '
      .. '--nowarning --nodefdtd --timing --stream --nowrap --xmlout --noenc --quiet --huge --c14n '
      .. '--c14n11 --exc-c14n --nsclean --repeat --memory --copy --dropdtd',
    values = '--xpath --pattern --encode --pretty --maxmem',
    not_operand = '*://*',
  },
  tidy = {
    single_dash_long = true,
    flags = '-q -quiet -e -errors -i -indent -xml -asxml -asxhtml -ashtml -utf8 -h -help -v '
      .. '-version -show-config -help-config -c -clean -n -numeric -b -bare -u -upper',
    values = '-w -wrap -o',
    only = { ['-o'] = '/dev/null' },
  },
  -- A pager runs what stands behind + and in a key file; a line end in -p begins another command.
  ['less'] = {
    digits = true,
    flags = '-? -a --search-skip-screen -A --SEARCH-SKIP-SCREEN -B --auto-buffers -c '
      .. '--clear-screen -C --CLEAR-SCREEN -d --dumb -e --quit-at-eof -E --QUIT-AT-EOF -f --force '
      .. '-F --quit-if-one-screen -g --hilite-search -G --HILITE-SEARCH -i --ignore-case -I '
      .. '--IGNORE-CASE -J --status-column -K --quit-on-intr -L --no-lessopen -m --long-prompt -M '
      .. '--LONG-PROMPT -n --line-numbers -N --LINE-NUMBERS -q --quiet --silent -Q --QUIET '
      .. '--SILENT -r --raw-control-chars -R --RAW-CONTROL-CHARS -s --squeeze-blank-lines -S '
      .. '--chop-long-lines -u --underline-special -U --UNDERLINE-SPECIAL -V -w --hilite-unread '
      .. '-W --HILITE-UNREAD -X --no-init -~ --tilde --file-size --follow-name --incsearch '
      .. '--mouse --MOUSE --no-keypad --no-histdups --use-backslash --use-color',
    values = '-b --buffers -h --max-back-scroll -j --jump-target -x --tabs -y '
      .. '--max-forw-scroll -z --window -# --shift --wheel-lines --line-num-width '
      .. '--status-col-width --rscroll',
    not_operand = '+*',
  },
  more = {
    digits = true,
    flags = '-d --silent -l --logical -e --exit-on-eof -f --no-pause -p --print-over -c '
      .. '--clean-print -s --squeeze -u --plain -h -V',
    values = '-n --lines',
    not_operand = '+*',
  },
  most = { flags = '-b -C -d -M -s -t -u -v -w -z', not_operand = '+*' },
  ['zless zmore'] = { flags = '-S -R -N -F -X -i -n -s', not_operand = '+*' },
  ['bat batcat'] = {
    flags = '-p --plain -n --number -A --show-all -S --chop-long-lines -f --force-colorization -u '
      .. '--unbuffered -L --list-languages --list-themes -h -V --no-config --no-pager -P '
      .. '--config-file --config-dir --cache-dir --diagnostic --no-custom-assets --strip-ansi -d '
      .. '--diff --set-terminal-title',
    values = '-l --language -H --highlight-line --file-name --diff-context --tabs --wrap '
      .. '--terminal-width --color --italic-text --decorations --theme --theme-dark '
      .. '--theme-light --squeeze-limit --style -r --line-range -m --map-syntax --ignored-suffix '
      .. '--nonprintable-notation --binary --paging',
    -- `bat cache` writes.
    not_operand = 'cache',
  },
  man = {
    flags = '-a --all -d --debug -f --whatis -k --apropos -K --global-apropos -w --where --path '
      .. '--location -W --where-cat --location-cat -i --ignore-case -I --match-case --regex '
      .. '--wildcard --names-only --no-subpages -7 --ascii --no-hyphenation --nh '
      .. '--no-justification --nj -? --usage -V',
    values = '-R --recode -L --locale -m --systems -S -s --sections -e --extension -E --encoding',
    -- A page that is a file may hold requests of troff.
    not_operand = '*/*',
  },
  ['apropos whatis'] = {
    flags = '-d --debug -v --verbose -r --regex -w --wildcard -e --exact -a --and -l --long -? '
      .. '--usage -V',
    values = '-s --sections --section -m --systems -L --locale',
  },
  info = {
    flags = '-a --all -k -w --where --location -O --show-options --usage -h --subnodes -v',
    values = '--apropos -n --node --index-search -o --output',
    only = { ['-o --output'] = '-' },
    not_operand = '*/*',
  },
  cloc = {
    flags = '--by-file --by-file-by-lang --json --yaml --xml --csv --md --quiet --vcs --git '
      .. '--hide-rate --sum-one --skip-uniqueness --follow-links --no-recurse --show-lang '
      .. '--progress-rate --count-and-diff --diff --autoconf --fullpath --sum-reports',
    values = '--exclude-dir --exclude-ext --exclude-lang --include-lang --include-ext '
      .. '--match-f --not-match-f --match-d --not-match-d --max-file-size --timeout --processes',
    only = { ['--vcs'] = 'git' },
  },
  tokei = {
    flags = '-f --files -l --languages -C --compact --hidden --no-ignore --no-ignore-parent '
      .. '--no-ignore-dot --no-ignore-vcs -v --verbose -h -V',
    values = '-e --exclude -s --sort -r --rsort -t --type -o --output -c --columns -n --num-format',
    only = { ['-o --output'] = { 'json', 'yaml', 'cbor' } },
  },
  scc = {
    flags = '--by-file --ci --cocomo-project-type --no-cocomo -c --no-complexity -d '
      .. '--no-duplicates --no-gen --no-gitignore --no-ignore --no-large --no-min --no-size -w '
      .. '--wide -u --uloc -z --min-gen -p --percent -a --dryness -l --languages -h --trace '
      .. '--verbose -v --debug',
    values = '--exclude-dir -i --include-ext -x --exclude-ext -M --not-match -f --format -s --sort '
      .. '-n --exclude-file',
  },
  -- mdcat gets images that are not local.
  mdcat = {
    flags = '-l --local --fail --ansi --no-colour -c -h', values = '--columns',
    needs = '-l --local',
  },
  glow = {
    flags = '-l --line-numbers -n --preserve-new-lines -h',
    values = '-s --style -w --width',
    only = { ['-s --style'] = { 'auto', 'dark', 'light', 'notty', 'ascii', 'pink', 'dracula' } },
    -- glow also reads addresses.
    not_operand = { '*://*', '*.com/*', 'github.com*', 'gitlab.com*' },
  },
  strings = {
    digits = true,
    flags = '-a --all -d --data -f --print-file-name -o -v -V -w --include-all-whitespace',
    values = '-n --bytes -t --radix -e --encoding -U --unicode -s --output-separator',
    -- @FILE holds options.
    not_operand = '@*',
  },
}
