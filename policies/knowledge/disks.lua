-- Programs that work on disks, partitions and file systems.
return {
  ['mkfs mkfs.* mke2fs mkswap mkdosfs mkntfs newfs newfs_*'] = {
    writes = 'operands',
  },
  ['mksquashfs genisoimage mkisofs xorriso'] = { writes = 'last', values = '-o', reads = 'first' },
  ['wipefs'] = {
    values = '-o --offset -t --types -O --output',
    accesses = {
      { access = 'remove', of = 'operands', when = '-a --all -o --offset' },
      { access = 'read', of = 'operands', unless = '-a --all -o --offset' },
    },
  },
  ['fdisk gdisk cfdisk sfdisk sgdisk cgdisk parted gparted partprobe partx'] = {
    values = '-t --typecode -n --new -c -d --delete -b -o -N -O -a',
    accesses = {
      { access = 'read', of = 'operands', when = '-l --list -p --print -d --dump' },
      { access = 'write', of = 'operands', unless = '-l --list -p --print -d --dump' },
    },
  },
  cryptsetup = {
    values = '-c --cipher -d --key-file -h --hash -S --key-slot',
    writes = 'rest',
  },
  mdadm = { values = '-l --level -n --raid-devices -a -r -f', writes = 'rest' },
  blkdiscard = { writes = 'operands' },
  ['fsck fsck.* e2fsck badblocks'] = { writes = 'operands' },
  mount = {
    values = '-t --types -o --options -L --label -U --uuid -O --test-opts --source --target',
    writes = { 'last', '--target' },
  },
  losetup = { values = '-o --offset -d --detach -j', reads = 'rest' },
  ['dcfldd dc3dd ddpt'] = { reads = 'if=', writes = 'of=' },
}
