-- The running system: services, accounts, security, network, mounts, schedules.
return {
  {
    id = 'system.security_off',
    decision = 'deny',
    reason = 'This turns off what protects the machine: ask a person to do it.',
    program = 'setenforce setsebool semanage auditctl aa-disable aa-complain aa-teardown '
      .. 'apparmor_parser spctl csrutil tccutil fail2ban-client',
    match = { 'setenforce 0', 'sudo aa-teardown', 'auditctl -e 0' },
    not_match = { 'getenforce' },
  },
  {
    id = 'system.firewall_off',
    decision = 'deny',
    reason = 'This opens the firewall: ask a person to do it.',
    program = 'iptables ip6tables ebtables arptables nft ufw firewall-cmd pfctl ipset',
    argument = {
      '-F', '--flush', '-X', '--delete-chain', 'flush', 'disable', 'reset', 'stop', '--panic-off',
      'destroy', '-d', 'ACCEPT',
    },
    match = { 'iptables -F', 'sudo ufw disable', 'nft flush ruleset', 'iptables -P INPUT ACCEPT' },
    not_match = { 'iptables -L', 'ufw status' },
  },
  {
    id = 'system.firewall',
    decision = 'ask',
    reason = 'This changes who may reach this machine: show the rule to a person first.',
    program = 'iptables ip6tables iptables-restore ip6tables-restore ebtables arptables nft ufw '
      .. 'firewall-cmd pfctl ipset',
    not_argument = {
      '-L', '-S', '--list*', '-nL', '-vnL', '-nvL', 'list', 'status', 'show', '--state', '--help',
      '--version', '-s', '--get-*',
    },
    match = { 'iptables -A INPUT -p tcp --dport 22 -j DROP', 'ufw allow 8080' },
    not_match = { 'iptables -L', 'ufw status', 'nft list ruleset' },
  },
  {
    id = 'system.protection_services',
    decision = 'deny',
    reason = 'This service protects the machine: ask a person to stop it.',
    program = 'systemctl service',
    argument = {
      'firewalld*', 'ufw*', 'apparmor*', 'auditd*', 'iptables*', 'nftables*', 'fail2ban*',
      'selinux*', 'clamav*', 'crowdstrike*', 'falcon-sensor*', 'sshd*', 'ssh', 'ssh.service',
      'systemd-logind*', 'dbus*', 'NetworkManager*', 'systemd-networkd*',
    },
    test = function(command)
      for _, word in ipairs(command.argv) do
        if word == 'stop' or word == 'disable' or word == 'mask' or word == 'kill' then
          return true
        end
      end
      return false
    end,
    match = { 'systemctl stop firewalld', 'sudo systemctl disable --now ufw.service' },
    not_match = { 'systemctl status sshd', 'systemctl restart nginx' },
  },
  {
    id = 'system.services',
    decision = 'ask',
    reason = 'This changes services that others may use: start what you need as a process of '
      .. 'your own.',
    program = 'systemctl',
    subcommand = {
      'start', 'stop', 'restart', 'reload', 'reload-or-restart', 'try-restart', 'enable', 'disable',
      'mask', 'unmask', 'kill', 'edit', 'set-property', 'set-default', 'set-environment',
      'import-environment', 'link', 'revert', 'daemon-reload', 'daemon-reexec', 'reset-failed',
      'clean', 'freeze', 'thaw',
    },
    match = { 'systemctl restart nginx', 'systemctl --user enable x.service' },
    not_match = { 'systemctl status nginx', 'systemctl is-active x' },
  },
  {
    id = 'system.old_services',
    decision = 'ask',
    reason = 'This changes services that others may use: start what you need as a process of '
      .. 'your own.',
    program = 'service rc-service initctl sv s6-svc launchctl chkconfig update-rc.d rc-update '
      .. 'supervisorctl loginctl rabbitmqctl apachectl apache2ctl pg_ctl pg_ctlcluster',
    not_argument = {
      'status', '--status-all', 'list', 'print', 'list-sessions', 'show-session', 'session-status',
      'list-users', '--help', '--version',
    },
    match = { 'service nginx restart', 'launchctl load x.plist' },
    not_match = { 'service nginx status', 'service --status-all' },
  },
  {
    id = 'system.accounts',
    decision = 'deny',
    reason = 'Accounts, groups and passwords of a machine are for a person to change.',
    program = 'useradd userdel usermod groupadd groupdel groupmod gpasswd adduser deluser addgroup '
      .. 'delgroup passwd chpasswd chage chsh chfn newusers pwconv dscl',
    match = {
      'useradd bob', 'sudo usermod -aG sudo bob', "echo 'root:x' | chpasswd", 'passwd root',
    },
    not_match = { 'id', 'grep bob /etc/passwd' },
  },
  {
    id = 'system.kernel_settings',
    decision = 'ask',
    reason = 'This changes a setting of the running kernel, for everybody: ask a person.',
    program = 'sysctl',
    argument = { '-w', '--write', '*=*', '-p*', '--load*', '--system' },
    match = { 'sysctl -w vm.swappiness=10', 'sysctl kernel.panic=1' },
    not_match = { 'sysctl vm.swappiness', 'sysctl -a' },
  },
  {
    id = 'system.network',
    decision = 'ask',
    reason = 'This changes the network of the machine, and may cut it off: ask a person.',
    program = 'ifconfig iwconfig nmcli ethtool brctl resolvectl networksetup scutil '
      .. 'route',
    argument = {
      'add', 'del', 'delete', 'set', 'flush', 'change', 'replace', 'append', 'up', 'down', 'off',
      'on', 'connect', 'disconnect', 'modify', 'link=*', '-s', '--set', 'addbr', 'delbr',
    },
    match = { 'ifconfig eth0 down', 'nmcli con modify x' },
    not_match = { 'ifconfig', 'nmcli' },
  },
  {
    id = 'system.network_devices',
    decision = 'ask',
    reason = 'This changes the network of the machine, and may cut it off: ask a person.',
    program = 'ifup ifdown wg-quick rfkill',
    match = { 'ifdown eth0' },
    not_match = { 'ip addr' },
  },
  {
    id = 'system.mount',
    decision = 'ask',
    reason = 'This changes which files the machine sees: work with the files that are there.',
    program = 'mount',
    test = function(command)
      return #command.operands > 0
    end,
    match = { 'mount /dev/sdb1 mnt', 'mount -o bind a b' },
    not_match = { 'mount', 'mount -l' },
  },
  {
    id = 'system.unmount',
    decision = 'ask',
    reason = 'This changes which files or memory the machine has: ask a person.',
    program = 'umount fusermount fusermount3 swapoff sshfs guestmount partprobe eject',
    match = { 'umount mnt', 'swapoff -a' },
    not_match = { 'mount -l' },
  },
  {
    id = 'system.swap',
    decision = 'ask',
    reason = 'This changes which files or memory the machine has: ask a person.',
    program = 'swapon losetup zramctl',
    not_argument = { '-s', '--show*', '-l', '--list', '-a', '--all', '--version', '--help' },
    match = { 'losetup /dev/loop0 disk.img', 'swapon swap.img' },
    not_match = { 'swapon --show', 'losetup -l' },
  },
  {
    id = 'system.check_disk',
    decision = 'ask',
    reason = 'Repairing a file system that is in use destroys it: ask a person.',
    program = { 'fsck', 'fsck.*', 'e2fsck', 'fstrim', 'hdparm', 'blockdev' },
    match = { 'fsck -y disk.img' },
    not_match = { 'lsblk' },
  },
  {
    id = 'system.schedule_remove',
    decision = 'deny',
    reason = 'This removes all scheduled jobs of the user: list them with crontab -l, and ask a '
      .. 'person.',
    program = 'crontab',
    flags = '-r',
    match = { 'crontab -r', 'crontab -u bob -r' },
    not_match = { 'crontab -l' },
  },
  {
    id = 'system.schedule',
    decision = 'ask',
    reason = 'This leaves behind something that runs later, unattended: run it now, or ask.',
    program = 'crontab at batch atrm',
    without_flags = '-l -V',
    match = { 'crontab jobs.txt', 'echo make | at now', 'crontab -' },
    not_match = { 'crontab -l', 'atq' },
  },
  {
    id = 'system.clock',
    decision = 'ask',
    reason = 'This changes the clock of the machine: use faketime for a program that needs '
      .. 'another time.',
    program = 'date timedatectl hwclock ntpdate hostnamectl localectl',
    argument = {
      '-s', '--set*', 'set-time', 'set-timezone', 'set-ntp', 'set-hostname', 'set-local-rtc', '-w',
      '--systohc', '--hctosys', 'set-locale', 'set-keymap', 'hostname',
    },
    match = { 'date -s 2020-01-01', 'timedatectl set-time 12:00' },
    not_match = { 'date +%s', 'timedatectl', "date -d '1 day ago'" },
  },
  {
    id = 'system.host_name',
    decision = 'ask',
    reason = 'This renames the machine: leave its name as it is.',
    program = 'hostname domainname',
    test = function(command)
      return #command.operands > 0
    end,
    match = { 'hostname evil' },
    not_match = { 'hostname', 'hostname -I' },
  },
  {
    id = 'system.history',
    decision = 'ask',
    reason = 'This hides what was done: leave histories and logs as they are.',
    program = 'history journalctl fc dmesg auditctl logrotate',
    argument = {
      '-c', '-w', '-d', '-cw', '--vacuum-*', '--rotate', '--flush', '-C', '--clear', '-f',
    },
    test = function(command)
      -- journalctl -f only follows
      return command.program ~= 'journalctl'
        or table.concat(command.argv, ' '):find('--', 1, true) ~= nil
    end,
    match = { 'history -c', 'journalctl --vacuum-time=1s', 'dmesg -C' },
    not_match = { 'journalctl -f', 'dmesg', 'history' },
  },
  {
    id = 'system.settings',
    decision = 'ask',
    reason = 'This changes settings of the system or the desktop: ask a person.',
    program = 'defaults gsettings dconf update-alternatives ldconfig dpkg-reconfigure '
      .. 'dpkg-divert apt-key add-apt-repository pmset softwareupdate tmutil xdg-settings '
      .. 'xdg-mime locale-gen alternatives',
    not_argument = {
      'read', 'get', 'list', 'list-*', '--list', '--display', '--query', '-p', '-g', 'find',
    },
    match = {
      'defaults write com.apple.dock x 1', 'update-alternatives --config editor', 'ldconfig',
    },
    not_match = { 'gsettings get a b', 'ldconfig -p', 'update-alternatives --list java' },
  },
  {
    id = 'system.bus',
    decision = 'ask',
    reason = 'This makes another program do something, which cannot be judged: use that program.',
    program = 'dbus-send busctl gdbus qdbus',
    not_argument = { 'list', 'status', 'tree', 'introspect', '--version', '--help' },
    match = { 'dbus-send --session --dest=org.x /x org.x.Run', 'gdbus call -e -d x -o /x -m x' },
    not_match = { 'busctl list' },
  },
  {
    id = 'system.shared_memory',
    decision = 'ask',
    reason = 'This removes memory that other programs share: ask a person.',
    program = 'ipcrm',
    match = { 'ipcrm -a' },
    not_match = { 'ipcs' },
  },
  {
    id = 'system.desktop',
    decision = 'ask',
    reason = 'This types, clicks or opens windows for the person at the desktop: ask them.',
    program = 'xdotool ydotool wmctrl xset setterm chvt say',
    match = { 'xdotool type x' },
    not_match = { 'xrandr' },
  },
  {
    id = 'system.other_tools',
    decision = 'ask',
    reason = 'This changes the system, or reaches into another process: ask a person.',
    program = 'fsfreeze xfs_freeze systemd-nspawn gcore reptyr injectso setfattr dump',
    match = { 'fsfreeze -f /', 'gcore 1', 'setfattr -n security.x f' },
    not_match = { 'getfattr x' },
  },
  {
    id = 'system.mount_all',
    decision = 'ask',
    reason = 'This changes which files the machine sees: work with the files that are there.',
    program = 'mount',
    flags = '-a --all',
    match = { 'mount -a' },
    not_match = { 'mount' },
  },
  {
    id = 'system.code_on_stdin',
    decision = 'ask',
    reason = 'What this runs comes from elsewhere: write the commands themselves, or let a person '
      .. 'look at it.',
    program = 'make gmake awk gawk mawk deno',
    argument = { '-' },
    test = function(command)
      local line = table.concat(command.argv, ' ')
      return line:find(' %-f %-') ~= nil or line:find('deno run .*%-$') ~= nil
    end,
    match = { 'make -f -', 'awk -f - x', 'deno run -' },
    not_match = { 'make -f x.mk', "awk '{ print }' -" },
  },
}
