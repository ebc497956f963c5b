-- The machine itself: firmware, power, clocks, kernel parameters, the set-up of the network, disks.
-- system.lua has services, accounts and mounts.

local verbs = require 'verbs'

-- True if some operand, or the first option, is one of `words`; abbreviations of ip are whole.
local function any(command, words)
  for at = 2, #command.argv do
    if (' ' .. words .. ' '):find(' ' .. command.argv[at] .. ' ', 1, true) then
      return true
    end
  end
  return false
end

-- For tools that are asked about unless they only show something.
local SHOWS = 'show list ls status info get dump --help --version -h -V -l -L --list --show '
  .. 'version '
  .. 'help monitor tracking sources activity statistics stats query print --print --status '
  .. 'get-devices get-updates get-history get-topology get-upgrades list-enrolled --list-enrolled '
  .. '--sb-state frequency-info idle-info sdr sensor sel fru lan mc-info devices logcat get-state '
  .. 'jobs props usage luksDump isLuks df device --query --lint --dry-run --list-all '
  .. 'report capabilities check --probe --names'

local function shows(command, ...)
  if #command.argv == 1 then
    return true
  end
  local words = ' ' .. SHOWS .. ' ' .. table.concat({ ... }, ' ') .. ' '
  local function is_among(word)
    return word ~= nil and words:find(' ' .. word .. ' ', 1, true) ~= nil
  end
  local operands = verbs.operands(command, 2)
  return is_among(operands[1] or command.argv[2]) or is_among(operands[2])
    or command.argv[2]:find('^%-') ~= nil and is_among(command.argv[2])
    or is_among(command.argv[#command.argv])
    and command.argv[#command.argv]:find('^%-%-help') ~= nil
end

-- ip OBJECT [VERB]: every word can be cut short.
local function ip_changes(command)
  local words = verbs.operands(command, 3)
  for at = 2, #command.argv do
    if command.argv[at] == '-b' or command.argv[at]:find('^%-ba')
      or command.argv[at] == '-force' then
      return true
    end
  end
  local verb = words[2]
  if words[1] and ('netns'):find(words[1], 1, true) == 1 and #words[1] > 4 then
    return verb ~= nil and verb ~= 'list' and verb ~= 'ls' and verb ~= 'identify' and verb ~= 'pids'
  end
  if not verb then
    return false
  end
  for _, reading in ipairs { 'show', 'list', 'lst', 'ls', 'get', 'help', 'monitor', 'dev', 'save',
    'table', 'to', 'up', 'dynamic', 'permanent', 'scope', 'type', 'default', 'match', 'exact',
    'root' } do
    -- `ip addr up` lists, too, but `ip link set x up` has another second word.
    if reading:find(verb, 1, true) == 1 and verb ~= 's' and verb ~= 'd' and verb ~= 'de'
      and verb ~= 'a' and verb ~= 're' and verb ~= 'r' and verb ~= 'up' then
      return false
    end
  end
  return true
end

local function date_sets(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word:find('^%-s') or word:find('^%-%-s') then
      return true
    end
  end
  for _, index in ipairs(command.operands) do
    if command.argv[index]:find('^%d[%d.]+$') then
      return true
    end
  end
  return false
end

return {
  {
    id = 'hardware.firmware',
    decision = 'ask',
    reason = 'This writes firmware or settings of hardware, or drives a device: a mistake may '
      .. 'not be '
      .. 'undone. Ask a person.',
    program = {
      'fwupdmgr', 'fwupdtool', 'efivar', 'mokutil', 'ipmitool', 'ipmi-*', 'bmc-*', 'racadm',
      'redfishtool',
      'dfu-util', 'dfu-programmer', 'esptool', 'esptool.py', 'avrdude', 'st-flash', 'openocd',
      'JLinkExe', 'pyocd', 'nrfjprog', 'fastboot', 'adb', 'heimdall', 'rpi-eeprom-*',
      'raspi-config', 'intel_reg', 'setpci', 'wrmsr', 'rdmsr', 'i2cset', 'i2cdump', 'ectool',
      'picotool', 'bossac', 'teensy_loader_cli', 'flashcp', 'nandwrite', 'flash_erase', 'fw_setenv',
      'megacli', 'MegaCli64', 'storcli', 'storcli64', 'perccli', 'hpssacli', 'ssacli', 'sas3flash',
      'mlxconfig', 'mstflint', 'flint', 'nvflash', 'amdvbflash', 'dmidecode-set', 'tpm2_clear',
      'tpm2_*', 'biosdecode-set', 'cctk', 'liquidctl', 'microcode_ctl', 'idevicerestore',
      'futurerestore',
      'irecovery', 'edl', 'mtkclient', 'usb_modeswitch', 'usbreset', 'uhubctl', 'hub-ctrl',
    },
    test = function(command)
      return not shows(command) or command.program == 'uhubctl' and any(command, '-a --action')
    end,
    match = {
      'fwupdmgr update', 'mokutil --import x', 'ipmitool power off', 'fastboot erase userdata',
      'esptool.py erase_flash', 'adb uninstall x', 'uhubctl -l 1 -a off',
    },
    not_match = { 'fwupdmgr get-devices', 'adb devices', 'mokutil --sb-state', 'ipmitool sdr' },
  },
  {
    id = 'hardware.power',
    decision = 'ask',
    reason = 'This changes power, speed or cooling of the machine, or wakes or stops others: ask a '
      .. 'person.',
    program = 'cpupower powerprofilesctl tlp x86_energy_perf_policy acpitool apcupsd upsmon '
      .. 'upscmd upsrw '
      .. 'apctest wakeonlan etherwake ether-wake wol rocm-smi fancontrol pwmconfig ddcutil '
      .. 'brightnessctl '
      .. 'xbacklight light tuned-adm cpufreq-set ryzenadj undervolt thinkfan powertop '
      .. 'nvidia-settings '
      .. 'rfkill zzz acpiconf caffeinate-off systemsetup s2ram s2disk hibernate-ram apm',
    test = function(command)
      return not shows(command, 'list', 'active', 'profile', 'detect', 'getvcp', '--showuse',
        '--showtemp')
    end,
    match = { 'cpupower frequency-set -g performance', 'wakeonlan 00:11:22:33:44:55', 'tlp start' },
    not_match = { 'cpupower frequency-info', 'powerprofilesctl list' },
  },
  {
    id = 'hardware.graphics',
    decision = 'ask',
    reason = 'This changes settings of a graphics card, or resets it with all that runs on it: ask '
      .. 'a person.',
    program = 'nvidia-smi',
    argument = {
      '-pl*', '-pm*', '-r', '--gpu-reset', '-c', '-e', '-lgc*', '-rgc', '-ac*', '-rac', '-mig*',
      '-p',
      '--power-limit*', '--persistence-mode*', '--compute-mode*', '--ecc-config*', '--lock-*',
      '--reset-*', '-lmc*', '-rmc', '-acp*', '-dm*', '-fdm*', 'mig', 'drain', '-gom*', '-am*',
      '-caa',
    },
    match = { 'nvidia-smi -pl 100', 'nvidia-smi --gpu-reset' },
    not_match = { 'nvidia-smi', 'nvidia-smi -L', 'nvidia-smi --query-gpu=name --format=csv' },
  },
  {
    id = 'hardware.disk_settings',
    decision = 'ask',
    reason = 'This changes how a disk works, or puts it to a long test: ask a person.',
    program = 'smartctl sg_format sg_start sg_sanitize sdparm nvme cryptsetup zpool zfs btrfs '
      .. 'lvextend '
      .. 'lvcreate lvchange lvrename lvconvert vgchange vgextend vgrename vgimport vgexport '
      .. 'pvresize pvmove '
      .. 'pvchange mdadm dmsetup multipath multipathd iscsiadm targetcli quotaon quotaoff setquota '
      .. 'edquota bcachefs xfs_growfs xfs_admin ntfsfix fatlabel growpart kpartx drbdadm ceph '
      .. 'rbd rados '
      .. 'gluster lvm bcache make-bcache stratis vdo udisksctl udevadm diskutil',
    test = function(command)
      if command.program == 'smartctl' then
        return any(command, '-s -t -o -S -X -C --smart --test --offlineauto --set')
      end
      return not shows(command, '-a', '-A', 'subvolume', 'filesystem', 'scrub', 'id-ctrl',
      'smart-log', 'list-subsys',
        '-D', '--detail', '--examine', '-E', '--scan', 'health', '-s', '-ll', 'history', 'iostat',
        'diff', 'holds', 'table', 'deps', 'benchmark', 'lvs', 'vgs', 'pvs')
        or command.program == 'btrfs' and any(command, 'delete create snapshot start '
        .. 'set-default resize')
    end,
    match = { 'cryptsetup open x y', 'zfs set a=b tank', 'smartctl -t long /dev/sda', 'lvcreate '
      .. 'x' },
    not_match = { 'zpool status', 'zfs list', 'smartctl -a /dev/sda', 'mdadm --detail /dev/md0' },
  },
  {
    id = 'hardware.clock',
    decision = 'ask',
    reason = 'This changes the clock of the machine: use faketime for a program that needs another '
      .. 'time.',
    program = 'date',
    test = date_sets,
    match = { 'date 010203042020', 'date -s@0' },
    not_match = { 'date +%F', "date -d '1 day ago'", 'date -u -r x', 'date -Is' },
  },
  {
    id = 'hardware.clock_services',
    decision = 'ask',
    reason = 'This changes the clock of the machine: use faketime for a program that needs another '
      .. 'time.',
    program = 'ntpdate ntpd chronyc chronyd sntp adjtimex rdate ntpdig openntpd ptp4l phc2sys '
      .. 'htpdate tlsdate hwclock timedatectl clockdiff-set msntp sntpdate busybox-ntpd',
    test = function(command)
      if command.program == 'timedatectl' or command.program == 'hwclock' then
        return #command.argv > 1 and not any(command, 'status show list-timezones timesync-status '
          .. 'show-timesync -r --show --get --help --version')
      end
      return #command.argv > 1 and not shows(command)
    end,
    match = { 'ntpdate pool.ntp.org', 'chronyc makestep', 'timedatectl set-timezone UTC' },
    not_match = { 'chronyc tracking', 'timedatectl status', 'timedatectl' },
  },
  {
    id = 'hardware.kernel',
    decision = 'ask',
    reason = 'This changes the running kernel, or what the machine boots next: ask a person.',
    program = {
      'kmod', 'dkms', 'depmod', 'bpftool', 'bpftrace', 'livepatch', 'kpatch', 'grubby',
      'kernelstub',
      'grub-set-default', 'grub-reboot', 'grub2-*', 'grub-editenv', 'update-grub2',
      'kernel-install',
      'installkernel', 'mkinitramfs', 'update-initramfs', 'sbctl', 'systemd-boot-*', 'ukify',
      'lilo',
      'extlinux', 'syslinux', 'stap', 'execsnoop', 'opensnoop', 'trace-cmd', 'crash',
      'makedumpfile',
      'sysctl', 'prlimit', 'lttng', 'kcare*', 'modules-load',
    },
    test = function(command)
      if command.program == 'sysctl' then
        return any(command, '-f -w -p --system') or command.argv[2] ~= nil
          and command.argv[2]:find('^%-%a*[pfw]') ~= nil
      end
      if command.program == 'prlimit' then
        return any(command, '--pid -p') and table.concat(command.argv, ' '):find('=%d') ~= nil
      end
      if command.program == 'update-grub2' then
        return true
      end
      return not shows(command, 'prog', 'map', '--info', 'feature')
        or command.program == 'bpftool' and any(command, 'load loadall attach detach update '
        .. 'delete pin')
    end,
    match = {
      'bpftool prog load x y', 'dkms install x', 'sysctl -f x.conf', 'grub-reboot 1',
      'prlimit --pid 1 --nofile=5',
    },
    not_match = { 'dkms status', 'bpftool prog list', 'sysctl -a', 'sysctl kernel.hostname' },
  },
  {
    id = 'hardware.addresses',
    decision = 'ask',
    reason = 'This changes the network of the machine, and may cut it off: ask a person.',
    program = 'ip tc bridge dcb devlink rdma vdpa',
    test = ip_changes,
    match = {
      'ip link set eth0 down', 'ip route del default',
      'ip a a 1.2.3.4/8 dev eth0', 'ip r d default', 'ip netns exec x sh', 'tc q d dev eth0 root',
      'ip -batch x',
    },
    not_match = {
      'ip addr', 'ip -br a', 'ip addr show eth0', 'ip route get 1.1.1.1',
      'ip netns list', 'ip link ls up', 'tc qdisc show',
    },
  },
  {
    id = 'hardware.network',
    decision = 'ask',
    reason = 'This changes the network of the machine, and may cut it off: ask a person.',
    program = {
      'nmtui', 'iwctl', 'iw', 'wpa_cli', 'wpa_supplicant', 'hostapd', 'dhclient', 'dhcpcd',
      'udhcpc',
      'mii-tool', 'ovs-vsctl', 'ovs-ofctl', 'ovs-dpctl', 'netplan', 'networkctl', 'resolvconf',
      'systemd-resolve',
      'resolvectl', 'nmcli', 'arp', 'ipvsadm', 'conntrack', 'macchanger', 'fwknop',
      'avahi-publish*',
      'smbpasswd', 'net', 'exportfs', 'ifmetric', 'vconfig', 'teamnl', 'bonding', 'ifenslave',
      'brctl',
      'iptables-*', 'ip6tables-*', 'xtables-*', 'shorewall', 'firewalld', 'networksetup',
      'scutil', 'ethtool',
      'nmstatectl', 'connmanctl', 'batctl', 'vtysh', 'birdc', 'keepalived', 'dnsmasq',
      'unbound-control',
      'rndc', 'pdnsutil', 'tunctl', 'slirp4netns', 'pppd', 'pon', 'poff', 'vpnc', 'openconnect',
      'strongswan', 'ipsec', 'swanctl', 'zerotier-cli', 'nebula', 'ndctl', 'route', 'hcitool',
      'bluetoothctl',
    },
    test = function(command)
      local program = command.program
      if program == 'dhclient' or program == 'nmtui' or program == 'dhcpcd' or program == 'udhcpc'
        or program == 'wpa_supplicant' or program == 'hostapd'
        or program:find('^avahi%-publish') then
        return true
      elseif program == 'arp' or program == 'route' then
        return any(command, '-d -s -f add del delete flush change')
      elseif program == 'iptables-save' or program == 'ip6tables-save' then
        return false
      elseif program == 'conntrack' then
        return any(command, '-F -D -U -I --flush --delete')
      elseif program == 'ethtool' or program == 'mii-tool' then
        return command.argv[2] ~= nil and command.argv[2]:find('^%-[A-Zrps]') ~= nil
          and command.argv[2] ~= '-S' and command.argv[2] ~= '-T' and command.argv[2] ~= '-P'
      elseif program == 'networksetup' or program == 'scutil' then
        return command.argv[2] ~= nil and command.argv[2]:find('^%-%-?[sca]') ~= nil
          or any(command, '--set --dns')
      elseif program == 'nmcli' and any(command, 'show list status') then
        return false
      elseif program == 'nmcli' then
        local verb = command.argv[command.operands[2]]
        return verb ~= nil and not shows(command, 'wifi', 'permissions', 'hostname', 's', 'sh',
        'st',
          'l', 'status', 'connectivity') or any(command, 'connect on off hotspot down up delete '
            .. 'del')
      end
      return not shows(command, '-a', '-n', '-s', 'link', 'scan', 'station', 'lldp', 'generate',
      'dump-flows', 'domain',
        'dump-ports', 'reg', 'dev', 'phy', 'list-units', 'scan_results', 'interface',
        '--statistics')
        or any(command, 'set add del delete flush disconnect connect')
    end,
    match = {
      'dhclient -r', 'nmcli c d x', 'netplan apply', 'resolvectl dns eth0 1.1.1.1', 'arp -d x',
      'iptables-legacy -F', 'iw dev x set y',
    },
    not_match = {
      'nmcli device status', 'resolvectl status', 'arp -a', 'netplan get', 'networkctl list',
      'ethtool eth0', 'nmcli', 'route -n',
    },
  },
  {
    id = 'hardware.interfaces',
    decision = 'ask',
    reason = 'This changes the network of the machine, and may cut it off: ask a person.',
    program = 'ifconfig',
    test = function(command)
      return #command.operands > 1 and not any(command, 'list')
    end,
    match = { 'ifconfig eth0 1.2.3.4', 'ifconfig eth0 mtu 100' },
    not_match = { 'ifconfig', 'ifconfig eth0', 'ifconfig -a' },
  },
  {
    id = 'hardware.set_user_id',
    decision = 'ask',
    reason = 'A program with the set-user-id bit runs with its owner\'s rights, for everybody: use '
      .. 'plain permissions such as 755.',
    program = 'chmod install mkdir rsync mknod mkfifo cp ginstall tar zip',
    argument = {
      're:(?:-[a-zA-Z]*m=?|--mode=|--chmod=|=)?(?:.*,)?[ugoaDF]*[+=][rwxX]*[st][rwxXst]*(?:,.*)?',
      're:(?:-[a-zA-Z]*m=?|--mode=|--chmod=|[+=])?[0-7]*[24567][0-7]{3}',
    },
    test = function(command)
      for at = 2, #command.argv do
        local word, before = command.argv[at], command.argv[at - 1]
        local inside = word:match('^%-%-mode=(.+)$') or word:match('^%-%-chmod=(.+)$')
          or command.program ~= 'rsync' and word:match('^%-%a*m=?([%d+=ugoarwxst,]+)$')
        local mode = inside or (before == '-m' or before == '--mode' or before == '--chmod')
          and word
          or command.program == 'chmod' and command.operands[1] == at and word
          or command.program == 'chmod' and at == 2 and word
        if mode and (mode:find('[+=]%a*[s]') or mode:match('^[+=]?0*[24567]%d%d%d$')) then
          return true
        end
      end
      return false
    end,
    match = {
      'install -m 4755 a b', 'install --mode=u+s a b', 'mkdir -m 4777 x', 'rsync --chmod=u+s a b',
      'chmod =4755 x',
    },
    not_match = { 'install -m 755 a b', 'mkdir -m 1777 x', 'chmod u+w 4755.txt', 'chmod 755 x' },
  },
  {
    id = 'hardware.priorities',
    decision = 'ask',
    reason = 'This changes other processes that run: set limits for what you start yourself.',
    program = 'renice chrt taskset ionice cpulimit cgset cgdelete cgclassify cgcreate criu '
      .. 'schedtool',
    test = function(command)
      local program = command.program
      if program == 'chrt' or program == 'taskset' or program == 'ionice' then
        for at = 2, #command.argv do
          if command.argv[at]:find('^%-%a*[pP]') or command.argv[at]:find('^%-%-pid') then
            -- With one operand they show it.
            return program == 'ionice' and #command.options > 1 or #command.operands > 1
          end
        end
        return false
      end
      return not any(command, '--help --version -h check')
    end,
    match = { 'renice -20 1', 'chrt -p 99 1', 'cpulimit -p 1 -l 10', 'criu dump -t 1' },
    not_match = { 'nice make', 'taskset -p 1', 'ionice -c3 make' },
  },
  {
    id = 'hardware.whole_system',
    decision = 'ask',
    reason = 'This changes the system as a whole, or what it trusts: ask a person.',
    program = 'semodule chcon restorecon fixfiles update-ca-certificates update-ca-trust trust '
      .. 'certutil '
      .. 'security apt-mark debconf-set-selections needrestart unattended-upgrade '
      .. 'unattended-upgrades do-release-upgrade rpm-ostree bootc ostree nixos-rebuild '
      .. 'nix-collect-garbage nix-store home-manager darwin-rebuild transactional-update snapper '
      .. 'timeshift snapctl setxkbmap loadkeys setfont wall write talk mesg kbdrate swaymsg '
      .. 'hyprctl i3-msg '
      .. 'bspc xkill xrdb xhost xauth systemsetup sysadminctl profiles pkgutil installer mdutil '
      .. 'kextload '
      .. 'launchd authselect pam-auth-update update-rc.d insserv systemd-sysusers systemd-tmpfiles '
      .. 'systemd-cryptenroll systemd-firstboot systemd-machine-id-setup pw sysrc bsdinstall '
      .. 'beadm bectl '
      .. 'freebsd-update portsnap pm2 monit circusctl s6-rc dinitctl anacron ldapmodify kadmin '
      .. 'kadmin.local realm sssctl ipa samba-tool winbindd stress stress-ng memtester '
      .. 'badblocks logger',
    test = function(command)
      local program = command.program
      if program == 'security' then
        return any(command, 'add-trusted-cert delete-certificate set-keychain-password import '
          .. 'add-generic-password delete-generic-password unlock-keychain authorizationdb '
          .. 'create-keychain '
          .. 'delete-keychain remove-trusted-cert default-keychain')
      elseif program == 'pm2' then
        return any(command, 'startup kill unstartup update deploy link plus flush save resurrect')
      elseif program == 'certutil' or program == 'trust' then
        return any(command, '-A -D -M -E -N anchor')
      elseif program == 'logger' then
        return true
      elseif program == 'xhost' or program == 'setxkbmap' or program == 'mesg' then
        return #command.argv > 1 and not any(command, '-query -print')
      end
      -- Without words these act.
      local bare = ' update-ca-certificates update-ca-trust unattended-upgrade unattended-upgrades '
        .. 'do-release-upgrade debconf-set-selections fixfiles pam-auth-update systemd-sysusers '
      if bare:find(' ' .. program .. ' ', 1, true) then
        return not any(command, '--help --version --dry-run')
      end
      return not shows(command, 'summary', 'showmanual', 'showhold', 'generations', '-Q', 'tree',
        'log', 'dry-build', 'build', 'switch-dry', 'refs', 'rev-parse', '--requisites', '-nwv')
    end,
    match = {
      'update-ca-certificates', 'nixos-rebuild switch', 'apt-mark hold x', 'pm2 startup',
      'rpm-ostree install x', 'wall hi', 'nix-collect-garbage -d',
    },
    not_match = { 'pm2 list', 'apt-mark showmanual', 'rpm-ostree status', 'certutil -L -d .' },
  },
  {
    id = 'hardware.messages',
    decision = 'ask',
    reason = 'This changes what the kernel prints, or clears it: leave it as it is.',
    program = 'dmesg',
    flags = '-n --console-level -E --console-on -D --console-off -c --read-clear -C --clear',
    match = { 'dmesg -n 1', 'dmesg -E' },
    not_match = { 'dmesg -T', 'dmesg --level=err' },
  },
  {
    id = 'hardware.screen',
    decision = 'ask',
    reason = 'This changes what the person at the desktop sees: ask them.',
    program = 'xrandr wlr-randr kscreen-doctor displayplacer gdctl',
    test = function(command)
      return #command.argv > 1 and not any(command, '-q --query --listmonitors --listproviders '
        .. '--verbose '
        .. '--current --prop list -o --json')
    end,
    match = { 'xrandr --output x --off' },
    not_match = { 'xrandr', 'xrandr --query' },
  },
  {
    id = 'hardware.file_systems',
    decision = 'ask',
    reason = 'This changes which files the machine sees: work with the files that are there.',
    program = {
      'mount.*', 'umount.*', 'bindfs', 'mergerfs', 'squashfuse', 'ntfs-3g', 'encfs', 'gocryptfs',
      'archivemount', 's3fs', 'gcsfuse', 'goofys', 'davfs2', 'curlftpfs', 'fuse-overlayfs',
      'fuse2fs',
      'unionfs', 'unionfs-fuse', 'vmhgfs-fuse', 'virtiofsd', 'ltfs', 'udisksctl', 'gio', 'pmount',
      'systemd-mount', 'systemd-umount', 'mount_*', 'blobfuse*', 'cifs*', 'mountpoint-s3',
      'mount-s3',
    },
    test = function(command)
      if command.program == 'gio' then
        return any(command, 'mount trash remove')
      end
      return not any(command, '--help --version status info')
    end,
    match = { 'mount.cifs x y', 'bindfs a b', 's3fs bucket mnt' },
    not_match = { 'gio info x' },
  },
  {
    id = 'everyday.addresses',
    decision = 'allow',
    modes = { 'auto' },
    program = 'ip tc bridge',
    only_reads = 'harmless_device',
    test = function(command)
      return not ip_changes(command)
    end,
    match = { 'ip -s link', 'ip link show eth0', 'ip route show' },
    not_match = { 'ip link set eth0 down' },
  },
}
