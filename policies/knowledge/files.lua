-- Programs that create, copy, move, remove and change files. A key can name several programs;
-- scripts/meta/rule.lua explains the fields.
return {
  ['rm grm'] = {
    removes = 'operands',
    recursive = '-r -R --recursive',
  },
  ['rmdir unlink grmdir gunlink'] = { removes = 'operands' },
  ['srm wipe scrub'] = {
    removes = 'operands',
    recursive = '-r -R --recursive',
  },
  ['trash trash-put trash-rm gio-trash rimraf del-cli del'] = {
    accesses = { { access = 'remove', of = 'operands', recursive = true } },
  },
  gio = {
    subcommands = {
      trash = { accesses = { { access = 'remove', of = 'operands', recursive = true } } },
      remove = { removes = 'operands' },
      copy = { reads = 'but_last', writes = 'last' },
      move = { removes = 'but_last', writes = 'last' },
      save = { writes = 'operands' },
      open = { reads = 'operands' },
      cat = { reads = 'operands' },
      list = { reads = 'operands' },
      info = { reads = 'operands', values = '-a --attributes' },
    },
  },
  ['shred gshred'] = {
    values = '-n --iterations -s --size --random-source',
    writes = 'operands',
    accesses = { { access = 'remove', of = 'operands', when = '-u --remove' } },
  },
  ['truncate gtruncate'] = { -- what it cuts off is gone
    values = '-s --size -r --reference', writes = 'operands', removes = 'operands',
  },
  fallocate = {
    values = '-o --offset -l --length',
    writes = 'operands',
  },
  ['cp gcp'] = {
    values = '-S --suffix -t --target-directory --sparse --no-preserve',
    recursive = '-r -R --recursive -a --archive',
    accesses = {
      { access = 'read', of = 'but_last', unless = '-t --target-directory' },
      {
        access = 'read', of = 'but_last', recursive = true,
        when = '-r -R --recursive -a --archive',
      },
      { access = 'read', of = 'operands', when = '-t --target-directory' },
      { access = 'write', of = 'last', unless = '-t --target-directory' },
      { access = 'write', of = '-t --target-directory' },
    },
  },
  ['mv gmv'] = {
    values = '-S --suffix -t --target-directory',
    accesses = {
      { access = 'remove', of = 'but_last', unless = '-t --target-directory' },
      { access = 'remove', of = 'operands', when = '-t --target-directory' },
      { access = 'write', of = 'last', unless = '-t --target-directory' },
      { access = 'write', of = '-t --target-directory' },
    },
  },
  ['install ginstall'] = {
    values = '-m --mode -o --owner -g --group -t --target-directory -S --suffix --strip-program',
    runs = { { how = 'shell', from = '--strip-program' } },
    accesses = {
      { access = 'read', of = 'but_last', unless = '-d --directory -t --target-directory' },
      { access = 'read', of = 'operands', when = '-t --target-directory' },
      { access = 'write', of = 'last', unless = '-t --target-directory' },
      { access = 'write', of = 'operands', when = '-d --directory' },
      { access = 'write', of = '-t --target-directory' },
    },
  },
  ['ln gln'] = {
    values = '-S --suffix -t --target-directory',
    reads = 'but_last',
    writes = { 'last', '-t --target-directory' },
  },
  link = { reads = 'first', writes = 'second' },
  mkdir = { values = '-m --mode', writes = 'operands' },
  ['mkfifo mknod'] = { values = '-m --mode', writes = 'operands' },
  mktemp = { values = '-p --suffix', writes = { 'operands', '-p --tmpdir' } },
  touch = { values = '-d --date -r --reference -t --time', writes = 'operands' },
  -- Words such as u+x count as paths in the current directory, which is harmless.
  ['chmod gchmod'] = {
    values = '--reference',
    permissions = 'operands',
    recursive = '-R --recursive',
  },
  ['chown chgrp gchown gchgrp'] = {
    values = '--reference --from',
    permissions = 'operands',
    recursive = '-R --recursive',
  },
  chattr = { values = '-v -p', permissions = 'operands', recursive = '-R' },
  setfacl = {
    values = '-m --modify -x --remove -M --modify-file -X --remove-file --set --set-file --restore',
    permissions = 'operands',
    recursive = '-R --recursive',
  },
  setfattr = { values = '-n --name -v --value -x --remove --restore', permissions = 'operands' },
  ['chcon restorecon'] = {
    values = '-t --type -u --user -r --role -l --range --reference',
    permissions = 'operands',
    recursive = '-R -r --recursive',
  },
  setcap = { permissions = 'rest' },
  ['tee gtee'] = { writes = 'operands' },
  sponge = { writes = 'operands' },
  ['dd gdd'] = { reads = 'if=', writes = 'of=' },
  ddrescue = { values = '-b -c -i -o -s -r', reads = 'first', writes = 'rest' },
  ['pv'] = {
    values = '-s -L -N -i -w -H -F -B -R -d -P -D --size --rate-limit --name --interval --output '
      .. '-o',
    reads = 'operands',
    writes = '-o --output',
  },
  split = {
    values = '-b --bytes -C --line-bytes -l --lines -n --number -a --suffix-length --filter -t '
      .. '--additional-suffix --separator',
    reads = 'first',
    writes = 'second',
    runs = { { how = 'shell', from = '--filter' } },
  },
  csplit = {
    values = '-b --suffix-format -f --prefix -n --digits',
    reads = 'first',
    writes = '-f --prefix',
  },
  -- Another program of the name rename takes two words, which are no code.
  ['rename file-rename prename perl-rename'] = {
    values = '-e --expr',
    writes = 'rest',
    runs = {
      { how = 'code', from = 'first', language = 'perl', unless = '-e --expr' },
      { how = 'code', from = '-e --expr', language = 'perl' },
    },
  },
  mmv = { writes = 'operands' },
  patch = {
    values = '-p --strip -d --directory -i --input -o --output -r --reject-file -B --prefix -F '
      .. '--fuzz -D --ifdef -z --suffix -Y --basename-prefix',
    cwd = '-d --directory',
    enters = '-d --directory',
    reads = { 'second', '-i --input' },
    writes = { 'first', '-o --output -r --reject-file' },
  },
  ['dos2unix unix2dos'] = { writes = 'operands', values = '-c --convmode' },
  ['fdupes rdfind jdupes'] = {
    reads = 'operands',
    accesses = { { access = 'remove', of = 'operands', when = '-d --delete', recursive = true } },
  },
  tmpreaper = { accesses = { { access = 'remove', of = 'rest', recursive = true } } },
  ['tmpwatch'] = { accesses = { { access = 'remove', of = 'rest', recursive = true } } },
  rsync = {
    values = '-e --rsh --rsync-path -f --filter --exclude --include --exclude-from --include-from '
      .. '--files-from -T --temp-dir --compare-dest --copy-dest --link-dest --backup-dir --suffix '
      .. '--log-file --log-file-format --password-file --port --bwlimit --timeout --max-size '
      .. '--min-size --partial-dir --chmod --chown -B --block-size --out-format -M '
      .. '--remote-option --config --info --debug --max-delete --usermap --groupmap --early-input',
    recursive = '-r --recursive -a --archive',
    takes_paths = '--files-from',
    reads = 'but_last',
    writes = { 'last', '--log-file --backup-dir -T --temp-dir --partial-dir' },
    hosts = 'operands',
    accesses = {
      {
        access = 'remove', of = 'last', recursive = true,
        when = '--del --delete --delete-before --delete-during --delete-delay --delete-after '
          .. '--delete-excluded --delete-missing-args',
      },
      { access = 'remove', of = 'but_last', recursive = true, when = '--remove-source-files' },
      { access = 'read', of = 'but_last', recursive = true, when = '-a -r --archive --recursive' },
    },
    runs = {
      { how = 'shell', from = '-e --rsh' },
      { how = 'shell', from = '--rsync-path' },
      { how = 'file', from = '--early-input' },
    },
  },
  ['rclone'] = {
    subcommands = {
      delete = { accesses = { { access = 'remove', of = 'operands', recursive = true } } },
      purge = { accesses = { { access = 'remove', of = 'operands', recursive = true } } },
      copy = { reads = 'first', writes = 'last' },
      sync = {
        reads = 'first',
        accesses = { { access = 'remove', of = 'last', recursive = true } },
      },
      move = {
        accesses = { { access = 'remove', of = 'first', recursive = true } },
        writes = 'last',
      },
    },
  },
}
