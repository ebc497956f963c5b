-- Programs that work on disks, partitions and file systems.
return {
  ['mkfs mkfs.* mke2fs mkswap mkdosfs mkntfs newfs newfs_*'] = {
    values = '-t --type -b -L -O -F -U -n -s -E -N -m -l',
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
  ['pvcreate pvremove vgcreate vgremove vgreduce lvcreate lvremove lvreduce lvresize pvmove lvm '
    .. 'dmsetup'] = { values = '-L --size -n --name -l' },
  mdadm = { values = '-l --level -n --raid-devices -a -r -f', writes = 'rest' },
  ['zpool zfs btrfs xfs_repair xfs_admin tune2fs resize2fs e2label debugfs'] = {},
  ['hdparm sdparm smartctl'] = {},
  blkdiscard = { values = '-o --offset -l --length -p --step', writes = 'operands' },
  ['blockdev'] = {},
  nvme = {
    subcommands = {
      list = {}, ['smart-log'] = {}, format = {}, sanitize = {}, ['write-zeroes'] = {},
    },
  },
  ['fsck fsck.* e2fsck badblocks'] = { values = '-t -b -B -C -o', writes = 'operands' },
  mount = {
    values = '-t --types -o --options -L --label -U --uuid -O --test-opts --source --target',
    writes = { 'last', '--target' },
  },
  ['umount fusermount fusermount3 guestmount sshfs'] = { values = '-t --types -o -O' },
  ['swapon swapoff zramctl'] = {},
  losetup = { values = '-o --offset -d --detach -j', reads = 'rest' },
  ['fstrim'] = {},
  ['flashrom avrdude dfu-util esptool esptool.py'] = { values = '-p -w -r -c -P -U' },
  ['dcfldd dc3dd ddpt'] = { reads = 'if=', writes = 'of=' },
}
