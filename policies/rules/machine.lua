-- What would destroy the machine, or stop it for every user: denied in every mode.

-- rm -r of a system or home directory, where a command can stand in code of any language.
local TARGET = [[(?:\\?/(?:\*|(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|run|s?bin|srv|sys|usr|]]
  .. [[var|Users|System)(?:/[\w.*-]+)*/?)?|~|\$HOME|\$\{HOME\})(?:$|[^\w/.*~-])]]
local RM = [[(?:sudo )?(?:/(?:usr/)?bin/)?rm +(?:-[\w-]+ +)*-(?:-recursive|\w*[rR]\w*) +]]
  .. [[(?:-[\w-]+ +)*]]
local START = [[(?:^\w+: |^|[\n;!`={}|&]|\b(?:system|exec\w*|shell|spawn\w*|[pP]open\w*|run|call|]]
  .. [[getoutput|check_\w+|qx?|x|Command|[0-9]*e)[\s("'\[{`<q\\]*)\s*]]
local DISK = [[/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk)]]

-- For programs that start others and are not made to remove things: rm -r followed by a directory
-- that is never removed.
local ROOTS = { etc = true, usr = true, bin = true, boot = true, lib = true, sbin = true,
  home = true, root = true, var = true, opt = true, dev = true }

local function is_removal(line)
  local rest = line:match('[^%w_.-]rm[\'"]? (.*)')
  if rest and not (' ' .. rest):find(' %-%a*[rR]') then
    return false
  end
  rest = rest or line:match(' rimraf (.*)') or line:match('%-Orm (.*)')
  if not rest then
    return false
  end
  for word in rest:gmatch('[^%s\'"\\();|&]+') do
    local top = word:match('^/(%a*)')
    if word == '/' or word == '/*' or word == '~' or word == '~/' or top and ROOTS[top] then
      return true
    end
  end
  return false
end

local function starts_removal(command)
  return is_removal(' ' .. table.concat(command.argv, ' '))
end

-- tar czf ARCHIVE FILE...: flags without a dash, where the first value is the archive.
local function writes_archive(command)
  local flags, archive = command.argv[2] or '', command.argv[3]
  if not flags:find('^%a+$') or not flags:find('[cruA]') or not flags:find('f') then
    return false
  end
  for _, access in ipairs(command.accesses) do
    if access.written == archive then
      return true
    end
  end
  return false
end

-- What mktemp makes (knowledge/outputs.lua) lies beside a workspace in /tmp, and never above it.
local function changes_what_holds_workspace(command)
  for _, access in ipairs(command.accesses) do
    local classes = ' ' .. table.concat(access.classes, ' ') .. ' '
    if (access.access == 'remove' or access.access == 'permission')
      and classes:find(' holds_workspace ', 1, true)
      and not access.written:find('^/tmp/tmp%.%*[^.]*$') then
      return true
    end
  end
  return false
end

return {
  {
    id = 'machine.destroying_code',
    decision = 'deny',
    reason = 'This code would destroy this machine: name the directory inside your workspace '
      .. 'that is to go.',
    doubt = 'inline_code unknown_code piped_code',
    detail = {
      're:(?s).*' .. START .. RM .. TARGET .. '.*',
      [[re:(?s).*["']rm["'][^\n]{0,40}["']-\w*[rR]\w*["'][^\n]{0,20}["']/\w*["'].*]],
      -- sed: s/x/rm -rf \//e
      [[re:(?s)sed: .*s(?:\^|/|\||,|#)[^\n]*rm -\w*[rR]\w* \\?/[^\n]*[/|,#]\w*e\w*.*]],
      [[re:(?s).*\bdd +[^\n]*of=]] .. DISK .. '.*',
      [[re:(?s).*(?:mkfs(?:\.\w+)?|wipefs|shred|>) ?(?:-\w+ )*]] .. DISK .. '.*',
      [[re:(?s).*\bkill\(\s*-?1\s*,.*]],
      [[re:(?s).*\brmtree as \w+.*\w\(["']/\w*["']\).*]],
      [[re:(?is).*\bRemove-Item +(?:-\w+ +)*(?:/|~|[a-z]:\\)(?:$|[\s;'"]).*]],
    },
    match = { "gdb -batch -ex 'shell rm -rf /'", "perl -e 'qx(rm -rf /etc)'" },
    not_match = { "gdb -ex 'shell rm -rf build'", "perl -e 'qx(rm -rf ./etc)'" },
  },
  {
    id = 'machine.remove_by_other',
    decision = 'deny',
    reason = 'Removing a system or home directory would destroy this machine: '
      .. 'name the directory inside your workspace that is to go.',
    program = 'start-stop-daemon coreutils fzf bwrap nix tox npx npm pnpm yarn bun env emacs '
      .. 'hg zip ltrace strace ssh go make gmake vim vi nvim less more ipython ipython3 compgen '
      .. 'onchange chokidar cross-env-shell',
    argument = { '*rm*', '*rimraf*' },
    test = starts_removal,
    match = { 'start-stop-daemon --start --exec /bin/rm -- -rf /' },
    not_match = { 'bwrap --bind x y rm -rf build', 'npx rimraf dist' },
  },
  {
    id = 'machine.remove_by_git',
    decision = 'deny',
    reason = 'Git would run this, and it would destroy this machine: leave it out.',
    program = 'git',
    argument = { '*rm*', '*rimraf*' },
    test = function(command)
      local runs = command.subcommand == 'config' or command.subcommand == 'grep'
        or command.subcommand == 'difftool' or command.argv[2] == '-c'
      return runs and starts_removal(command)
    end,
    match = { "git config core.pager 'rm -rf /'", "git grep -O'rm -rf /' x" },
    not_match = { "git commit -m 'no rm -rf / here'", 'git grep -n TODO' },
  },
  {
    id = 'machine.write_disk_archive',
    decision = 'deny',
    reason = 'This would write the archive over a device or a part of the system: name a file in '
      .. 'your workspace.',
    program = 'tar gtar bsdtar',
    access = 'read',
    path = 'device system system_root startup credential',
    not_path = 'harmless_device',
    test = writes_archive,
    match = { 'tar cf /dev/sda .', 'tar czvf /etc/cron.d/x y', 'tar rvf /etc/passwd x' },
    not_match = { 'tar czf x.tgz src', 'tar tf /etc/x.tar', 'tar xf /usr/share/x.tar' },
  },
  {
    id = 'machine.relay_to_disk',
    decision = 'deny',
    reason = 'Writing to a device destroys what is on it: write to a file in your workspace.',
    program = 'socat',
    argument = { 're:(?i)(?:file|open|create|gopen):' .. DISK .. '.*' },
    match = { 'socat -u OPEN:x,rdonly FILE:/dev/sda,trunc' },
    not_match = { 'socat -V' },
  },
  {
    id = 'machine.remove_exported',
    decision = 'deny',
    reason = 'Programs would run this value, and it would destroy this machine: leave it out.',
    program = 'export declare typeset local readonly',
    argument = { 're:(?s)[A-Z_0-9]+=(?:.*[^\\w.-])?' .. RM .. TARGET .. '.*' },
    match = { "export PROMPT_COMMAND='rm -rf /'", "declare -x PAGER='rm -rf ~'" },
    not_match = { "export CLEAN='rm -rf build'", 'export PAGER=less' },
  },
  {
    id = 'machine.remove_by_variable',
    decision = 'deny',
    reason = 'Programs would run this value, and it would destroy this machine: leave it out.',
    test = function(command)
      for _, each in ipairs(command.assignments) do
        if is_removal(' ' .. each.value) then
          return true
        end
      end
      return false
    end,
    match = { "CC='rm -rf /' make", "PAGER='sudo rm -rf ~' git log" },
    not_match = { "CLEAN='rm -rf build' make", "CC='gcc -O2' make" },
  },
  {
    id = 'machine.remove_root',
    decision = 'deny',
    reason = 'Removing a system or home directory would destroy this machine: '
      .. 'name the directory inside your workspace that is to go.',
    access = 'remove',
    path = 'system_root home',
    not_path = 'partly_known',
    match = { 'rm -rf /', 'rm -fr /*', 'rm -rf ~', 'rm -rf "$HOME"', 'rm -rf /usr/*' },
    not_match = { 'rm -rf build', 'rm -rf /tmp/x', "echo 'rm -rf /'" },
  },
  {
    id = 'machine.remove_part_of_root',
    decision = 'deny',
    reason = 'Whatever this is, it lies at the top of the system: '
      .. 'name the directory inside your workspace that is to go.',
    access = 'remove',
    path = 'system_root',
    match = { 'rm -rf /$X', 'rm -rf /e*', 'rm /"$1"' },
    not_match = { 'rm -rf build/$X', 'rm -rf /tmp/x-$$' },
  },
  {
    id = 'machine.remove_found',
    decision = 'deny',
    reason = 'This removes what is found in a system or home directory: '
      .. 'look for it in your workspace.',
    program = 'find gfind fd fdfind ls',
    feeds = { 'rm', 'shred', 'unlink', 'rmdir', 'truncate' },
    access = 'enter',
    path = 'system system_root home startup credential',
    not_path = 'temp',
    match = { 'find /usr -print0 | xargs -0 rm -rf' },
    not_match = { 'find . -name x | xargs rm', 'find /usr -name x | xargs ls' },
  },
  {
    id = 'machine.remove_outside',
    decision = 'deny',
    reason = 'Removing whole directories outside of the workspace is not an agent\'s to do: name '
      .. 'what is to go inside the workspace or in /tmp, or ask a person to remove it.',
    access = 'remove',
    path = 'outside',
    not_path = 'temp package_cache',
    recursive = true,
    match = { 'rm -rf /opt/tool', 'rm -rf ../other', 'rm -r ~/Documents' },
    not_match = { 'rm -rf dist', 'rm -rf /tmp/build.1', 'rm ~/note.txt' },
  },
  {
    id = 'machine.permissions_root',
    decision = 'deny',
    reason = 'Changing owner or permissions of system or home directories breaks this machine: '
      .. 'name the directory inside your workspace.',
    access = 'permission',
    path = 'system_root home system',
    match = { 'chmod -R 777 /', 'sudo chown -R me:me /etc', 'chmod 000 ~', 'chattr -R +i /usr' },
    not_match = { 'chmod -R 755 .', 'chmod +x scripts/build.sh', 'chown -R me build' },
  },
  {
    id = 'machine.remove_above',
    decision = 'deny',
    reason = 'This directory holds your workspace: name a directory inside the workspace.',
    access = 'remove permission',
    path = 'holds_workspace',
    test = changes_what_holds_workspace,
    match = { 'rm -rf ..', 'chmod -R 777 ../..' },
    not_match = { 'rm -rf src' },
  },
  {
    id = 'machine.permissions_outside',
    decision = 'deny',
    reason = 'Changing permissions of whole directories outside of the workspace is not an '
      .. 'agent\'s to do: name a directory inside the workspace, or ask a person.',
    access = 'permission',
    path = 'outside',
    not_path = 'temp',
    recursive = true,
    match = { 'chmod -R 777 ~/projects', 'chown -R www-data ../site' },
    not_match = { 'chmod -R u+w vendor', 'chmod 600 ~/x' },
  },
  {
    id = 'machine.write_disk',
    decision = 'deny',
    reason = 'Writing to a device destroys what is on it: write to a file in your workspace.',
    access = 'write remove permission',
    path = 'device',
    not_path = 'serial_port',
    match = { 'dd if=/dev/zero of=/dev/sda bs=1M', 'cat image > /dev/nvme0n1', 'shred /dev/sdb' },
    not_match = { 'ls > /dev/null 2>&1', 'dd if=/dev/zero of=a.img count=1' },
  },
  {
    id = 'machine.replace_device',
    decision = 'deny',
    reason = 'Removing or replacing a device such as /dev/null breaks every program on this '
      .. 'machine: redirect to it instead.',
    program = 'rm mv ln mknod unlink shred',
    access = 'remove write permission',
    path = 'harmless_device',
    redirection = false,
    match = { 'rm -f /dev/null', 'mv x /dev/null', 'ln -sf x /dev/null' },
    not_match = { 'rm -f x 2>/dev/null', 'cp /dev/null x' },
  },
  {
    id = 'machine.make_filesystem',
    decision = 'deny',
    reason = 'Making a file system or wiping its signatures destroys what is on the disk: '
      .. 'ask a person to do it.',
    program = {
      'mkfs', 'mkfs.*', 'mke2fs', 'mkswap', 'mkdosfs', 'mkntfs', 'newfs', 'newfs_*', 'wipefs',
    },
    access = 'write remove',
    path = 'outside unknown partly_known',
    not_path = 'temp',
    match = { 'mkfs.ext4 /dev/sda1', 'doas mkfs -t ext4 "$DISK"', 'wipefs -a /dev/sda' },
    not_match = { 'man mkfs', 'grep mkfs notes.txt', 'mkfs.ext4 -q disk.img' },
  },
  {
    id = 'machine.partition',
    decision = 'deny',
    reason = 'Changing partitions destroys what is on the disk: list them with -l, or ask a '
      .. 'person.',
    program = 'fdisk gdisk cfdisk sfdisk sgdisk cgdisk parted gparted',
    without_flags = '-l --list -p --print -d --dump -V --version',
    match = { 'fdisk /dev/sda', 'parted -s /dev/sda mklabel gpt', 'sgdisk --zap-all /dev/sda' },
    not_match = { 'fdisk -l', 'parted -l' },
  },
  {
    id = 'machine.volumes',
    decision = 'deny',
    reason = 'This removes or reformats volumes with all that is on them: ask a person to do it.',
    program = 'lvremove vgremove pvremove vgreduce lvreduce pvcreate vgcreate blkdiscard badblocks '
      .. 'flashrom xfs_repair tune2fs resize2fs debugfs e2label',
    match = { 'lvremove -f vg0/home', 'vgremove vg0', 'blkdiscard /dev/nvme0n1' },
    not_match = { 'lvs', 'lsblk' },
  },
  {
    id = 'machine.storage',
    decision = 'deny',
    reason = 'This destroys pools, arrays or encrypted volumes: ask a person to do it.',
    program = 'zpool zfs btrfs mdadm cryptsetup dmsetup hdparm sdparm nvme diskutil hdiutil lvm',
    argument = {
      'destroy', 'labelclear', 'offline', 'detach', 'rollback', 'delete', 'format', 'sanitize',
      'write-zeroes', 'luksFormat', 'luksErase', 'erase', 'luksRemoveKey', 'luksKillSlot',
      'remove_all', 'remove', 'wipe_table', '--zero-superblock', '--stop', '-S', '--fail',
      '--remove', '--create', '-C', '--security-erase*', '--security-set-pass*', '--trim-sector*',
      '--make-bad-sector*', '-Y', 'eraseDisk', 'eraseVolume', 'partitionDisk', 'reformat',
      'secureErase', 'zeroDisk', 'lvremove', 'vgremove',
    },
    match = { 'zpool destroy tank', 'zfs destroy -r tank/home', 'cryptsetup luksFormat disk.img' },
    not_match = { 'zpool status', 'zfs list', 'mdadm --detail /dev/md0', 'nvme list' },
  },
  {
    id = 'machine.boot',
    decision = 'deny',
    reason = 'Changing how this machine boots may leave it unable to: ask a person to do it.',
    program = 'grub-install update-grub grub-mkconfig efibootmgr bootctl update-initramfs dracut '
      .. 'mkinitcpio nvram bless',
    match = { 'grub-install /dev/sda', 'update-grub' },
    not_match = { 'cat boot.md' },
  },
  {
    id = 'machine.stop',
    decision = 'deny',
    reason = 'Stopping or restarting the machine ends everybody\'s work: ask a person to do it.',
    program = 'shutdown reboot poweroff halt rtcwake pm-suspend pm-hibernate pm-suspend-hybrid',
    without_flags = '--help --version',
    match = { 'shutdown -h now', 'sudo reboot', 'poweroff', 'busybox halt', "sh -c 'reboot -f'" },
    not_match = { 'git commit -m "reboot; halt"', 'grep -r shutdown .', 'npm run reboot' },
  },
  {
    id = 'machine.stop_init',
    decision = 'deny',
    reason = 'Changing the run level stops the machine or everybody\'s work on it: ask a person.',
    program = 'init telinit',
    operand = { '0', '1', '6', 's', 'S', 'q', 'Q', 'u', 'U' },
    match = { 'init 0', 'telinit 6' },
    not_match = { 'init --help' },
  },
  {
    id = 'machine.stop_services',
    decision = 'deny',
    reason = 'This stops the machine, or everybody\'s session on it: ask a person to do it.',
    program = 'systemctl loginctl',
    subcommand = {
      'poweroff', 'reboot', 'halt', 'kexec', 'soft-reboot', 'rescue', 'emergency', 'suspend',
      'hibernate', 'hybrid-sleep', 'suspend-then-hibernate', 'isolate', 'switch-root', 'exit',
      'default', 'terminate-user', 'kill-user',
    },
    match = { 'systemctl reboot', 'sudo systemctl -q poweroff', 'systemctl isolate rescue.target' },
    not_match = { 'systemctl status nginx', 'systemctl list-units' },
  },
  {
    id = 'machine.stop_target',
    decision = 'deny',
    reason = 'This stops the machine, or everybody\'s session on it: ask a person to do it.',
    program = 'systemctl',
    argument = {
      'reboot.target', 'poweroff.target', 'halt.target', 'rescue.target', 'emergency.target',
      'kexec.target', 'shutdown.target', 'suspend.target', 'hibernate.target', 'sleep.target',
      'ctrl-alt-del.target',
    },
    match = { 'systemctl start reboot.target' },
    not_match = { 'systemctl start nginx' },
  },
  {
    id = 'machine.stop_bus',
    decision = 'deny',
    reason = 'This asks a service to stop the machine: ask a person to do it.',
    program = 'dbus-send busctl gdbus qdbus osascript',
    argument = { '*PowerOff*', '*Reboot*', '*Halt*', '*Hibernate*', '*Suspend*', '*shut down*' },
    match = { 'busctl call org.freedesktop.login1 /x org.freedesktop.login1.Manager Reboot b '
      .. 'false' },
    not_match = { 'busctl list' },
  },
  {
    id = 'machine.kernel',
    decision = 'deny',
    reason = 'Loading or removing parts of the running kernel is for the person who owns this '
      .. 'machine.',
    program = 'insmod rmmod modprobe kexec kdump',
    without_flags = '-n --dry-run --show -c --showconfig -V --version -h --help',
    match = { 'insmod ./x.ko', 'sudo modprobe -r kvm', 'kexec -e' },
    not_match = { 'lsmod', 'modprobe -n kvm' },
  },
  {
    id = 'machine.fork_bomb',
    decision = 'deny',
    reason = 'A function that starts itself twice takes the machine down: '
      .. 'start the processes that you need by name.',
    doubt = 'fork_bomb',
    match = { ':(){ :|:& };:', 'bomb() {\n bomb | bomb &\n}; bomb' },
    not_match = { 'f() { echo x; }; f' },
  },
}
