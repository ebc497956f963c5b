-- Programs that pack, unpack and compress.
return {
  zipinfo = { reads = 'first' },
  ['tar gtar bsdtar'] = {
    values = '-f --file -C --directory -T --files-from -X --exclude-from --exclude -b '
      .. '--blocking-factor -I --use-compress-program --to-command --checkpoint-action -F '
      .. '--info-script --new-volume-script --rsh-command --rmt-command -g --listed-incremental '
      .. '-K --starting-file -L --tape-length -N --newer --newer-mtime -V --label --transform '
      .. '--xform --strip-components --owner --group --mode --mtime --sort --suffix --format -H '
      .. '--index-file --volno-file',
    enters = '-C --directory',
    takes_paths = '-T --files-from',
    reads = '-T --files-from -X --exclude-from',
    writes = '--index-file --volno-file -g --listed-incremental --one-top-level',
    accesses = {
      {
        access = 'write', of = '-f --file',
        when = '-c --create -r --append -u --update -A --catenate --concatenate --delete',
      },
      { access = 'read', of = '-f --file', when = '-x --extract --get -t --list -d --diff' },
      {
        access = 'read', of = 'operands', recursive = true, -- also for tar czf, without a dash
        unless = '-x --extract --get -t --list',
      },
      { access = 'write', of = '-C --directory', when = '-x --extract --get' },
      { access = 'read', of = '-C --directory', when = '-c --create -r --append -u --update' },
      { access = 'write', of = 'here', when = '-x --extract --get', unless = '-C --directory' },
      { access = 'enter', of = 'here', unless = '-C --directory' }, -- tar xf, without a dash
      { access = 'remove', of = 'operands', recursive = true, when = '--remove-files' },
    },
    runs = {
      { how = 'shell', from = '-I --use-compress-program' },
      { how = 'shell', from = '--to-command' },
      { how = 'shell', from = '--checkpoint-action', strip_prefix = 'exec=' },
      { how = 'shell', from = '-F --info-script --new-volume-script' },
      { how = 'shell', from = '--rsh-command --rmt-command' },
    },
  },
  cpio = {
    values = '-F --file -I -O -D --directory -H --format -E --pattern-file -R --owner -C -M '
      .. '--rsh-command --rmt-command',
    reads = '-I -E --pattern-file',
    takes_paths = '-o --create -p --pass-through',
    cwd = '-D --directory',
    writes = '-O',
    accesses = {
      { access = 'write', of = '-F --file', when = '-o --create' },
      { access = 'read', of = '-F --file', unless = '-o --create' },
      { access = 'write', of = 'operands', when = '-p --pass-through' },
      { access = 'write', of = 'here', when = '-i --extract', unless = '-t --list -D --directory' },
    },
    runs = { { how = 'shell', from = '--rsh-command --rmt-command' } },
  },
  zip = {
    values = '-b -n -P -t -tt -TT --unzip-command -O --output-file -s -x -i',
    takes_paths = '-@ --names-stdin',
    writes = { 'first', '-O --output-file -b' },
    reads = 'rest',
    accesses = {
      { access = 'read', of = 'rest', when = '-r -R --recurse-paths', recursive = true },
      { access = 'remove', of = 'rest', when = '-m --move', recursive = true },
    },
    runs = { { how = 'shell', from = '-TT --unzip-command' } },
  },
  unzip = {
    values = '-d -P -x', reads = 'first', writes = '-d',
    accesses = {
      { access = 'write', of = 'here', unless = '-d -l -t -v -p -c -z -Z' },
    },
  },
  ['7z 7za 7zr 7zz p7zip'] = { values = '-o -p', reads = 'rest', writes = '-o' },
  ['gunzip unpigz bunzip2 unxz unlzma unzstd unlz4 uncompress zcat zless zmore bzcat xzcat lz4cat '
    .. 'zstdcat gzcat'] = { values = '-S --suffix -o --output', decodes = true, writes = '-o '
      .. '--output' },
  ['gzip pigz bzip2 pbzip2 xz lzma zstd lz4 lzip lzop compress brotli'] = {
    values = '-S --suffix -T --threads -o --output -b -p',
    decodes = '-d --decompress --uncompress',
    writes = { 'operands', '-o --output' },
  },
  ['openssl'] = {
    values = '-in -out -key -keyout -CA -CAkey -cert -config -connect -d -days -newkey -subj -pass '
      .. '-passin -passout -k -K -iv -md -engine -provider -provider-path -outform -inform -rand '
      .. '-writerand -CAfile -CApath -port -accept -www',
    single_dash_long = true,
    reads = '-in -key -CA -CAkey -cert -config',
    writes = '-out -keyout -writerand',
    executes = '-engine -provider-path',
    hosts = '-connect',
    decodes = '-d',
  },
  ['gpg gpg2'] = {
    values = '-o --output -r --recipient -u --local-user --homedir --keyserver --passphrase '
      .. '--passphrase-file --photo-viewer --default-key --batch-file --export-options',
    reads = '--passphrase-file',
    writes = '-o --output',
    enters = '--homedir',
    hosts = '--keyserver',
    decodes = '-d --decrypt',
    runs = { { how = 'shell', from = '--photo-viewer' } },
  },
  age = { values = '-o --output -r -i -R', writes = '-o --output', reads = '-i -R' },
}
