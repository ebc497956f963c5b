-- Programs that show, compare, sort and transform text.
return {
  ['cat tac nl rev expand unexpand paste comm fold fmt pr wc cksum sum b2sum md5sum sha1sum '
    .. 'sha224sum sha256sum sha384sum sha512sum md5 shasum bat batcat colrm column look strings '
    .. 'hexdump hd glow mdcat'] = {
    reads = 'operands',
  },
  ['head tail'] = {
    reads = 'operands',
  },
  cut = {
    reads = 'operands',
  },
  tr = { text = 'operands' },
  uniq = {
    values = '-f --skip-fields -s --skip-chars -w --check-chars',
    reads = 'first',
    writes = 'second',
  },
  join = { reads = 'operands' },
  shuf = {
    values = '-i --input-range -n --head-count -o --output --random-source',
    writes = '-o --output',
    accesses = { { access = 'read', of = 'operands', unless = '-e --echo' } },
  },
  sort = {
    values = '-o --output -T --temporary-directory --compress-program --files0-from '
      .. '--random-source',
    reads = { 'operands', '--files0-from --random-source' },
    writes = { '-o --output', '-T --temporary-directory' },
    runs = { { how = 'shell', from = '--compress-program' } },
  },
  tsort = { reads = 'operands' },
  ['diff sdiff colordiff'] = {
    values = '-X --exclude-from -o --output --from-file --to-file --diff-program',
    reads = { 'operands', '-X --exclude-from --from-file --to-file' },
    writes = '-o --output',
    runs = { { how = 'shell', from = '--diff-program' } },
  },
  ['cmp diff3'] = {
    values = '--diff-program',
    reads = 'operands',
    runs = { { how = 'shell', from = '--diff-program' } },
  },
  ['delta difft icdiff wdiff'] = { reads = 'operands' },
  sed = {
    values = '-e --expression -f --file -l --line-length',
    executes = '-f --file',
    accesses = {
      { access = 'read', of = 'rest', unless = '-e --expression -f --file' },
      { access = 'write', of = 'rest', when = '-i --in-place' },
      -- With -e all operands are files; rules combine -i with these reads.
      { access = 'read', of = 'operands', when = '-e --expression -f --file' },
    },
    runs = {
      { how = 'code', from = 'first', unless = '-e --expression -f --file', language = 'sed' },
      { how = 'code', from = '-e --expression', language = 'sed' },
    },
  },
  ['awk gawk mawk nawk original-awk'] = {
    values = '-f --file -F --field-separator -v --assign -i --include -l --load -e --source -E '
      .. '--exec -o --pretty-print -p --profile -d --dump-variables',
    executes = '-f --file -i --include -l --load -E --exec',
    text = '-F --field-separator',
    writes = '-o --pretty-print -p --profile -d --dump-variables',
    accesses = {
      { access = 'read', of = 'rest', unless = '-f --file -e --source -E --exec' },
      { access = 'read', of = 'operands', when = '-f --file -e --source -E --exec' },
    },
    runs = {
      {
        how = 'code', from = 'first', language = 'awk',
        unless = '-f --file -e --source -E --exec',
      },
      { how = 'code', from = '-e --source', language = 'awk' },
    },
  },
  ['jq gojq jaq yq xq dasel'] = {
    text = 'first --expression',
    values = '-f --from-file -L --library-path --indent -p --input-format -o '
      .. '--output-format --expression',
    reads = '-f --from-file -L --library-path',
    executes = '-f --from-file -L --library-path',
    accesses = {
      { access = 'read', of = 'rest', unless = '-f --from-file' },
      { access = 'read', of = 'operands', when = '-f --from-file' },
      { access = 'write', of = 'rest', when = '-i --inplace --in-place' },
    },
  },
  ['xmllint tidy xmlstarlet'] = {
    values = '--output -o',
    reads = 'operands',
    writes = '--output -o',
  },
  ['iconv'] = {
    values = '-o --output',
    reads = 'operands',
    writes = '-o --output',
  },
  ['base64 base32 base16 basenc'] = {
    values = '-w --wrap -o --output -i --input',
    reads = { 'operands', '-i --input' },
    writes = '-o --output',
    decodes = '-d -D --decode',
  },
  uudecode = { values = '-o', reads = 'operands', writes = '-o', decodes = true },
  uuencode = { reads = 'first' },
  xxd = {
    values = '-c -cols -g -groupsize -l -len -n -name -o -s -seek -R',
    single_dash_long = true,
    reads = 'first',
    writes = 'second',
    decodes = '-r -revert',
  },
  od = {
    reads = 'operands',
  },
  ['rot13 ascii2binary'] = { decodes = true },
  m4 = { reads = 'operands',},
  ['less more most'] = {
    values = '-k -o -O --log-file --LOG-FILE',
    reads = 'operands',
    writes = '-o -O --log-file --LOG-FILE',
    accesses = { { access = 'execute', of = '-k --lesskey-file --lesskey-src' } },
  },
  ['man apropos whatis'] = {
    text = 'operands',
    values = '-P --pager -H --html -C --config-file -M --manpath',
    reads = '-C --config-file -M --manpath',
    runs = {
      { how = 'shell', from = '-P --pager' },
      { how = 'shell', from = '-H --html' },
    },
  },
  ['info'] = { values = '-o --output', writes = '-o --output' },
  ['groff troff pdflatex latex lualatex xelatex tex'] = {
    values = '-output-directory',
    single_dash_long = true,
    reads = 'operands',
    writes = '-output-directory',
  },
  ['pandoc'] = {
    values = '-o --output -F --filter -L --lua-filter --pdf-engine',
    reads = 'operands',
    writes = '-o --output',
    executes = '-F --filter -L --lua-filter',
    runs = { { how = 'shell', from = '--pdf-engine' } },
  },
  ['cloc tokei scc'] = { reads = 'operands' },
}
