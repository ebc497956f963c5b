-- Programs that change the running system: power, services, kernel, firewall, users, schedules.
return {
  ['shutdown reboot poweroff halt telinit init runlevel'] = {},
  systemctl = {
    values = '-H --host -M --machine -t --type -p --property -n --lines -o --output -s --signal '
      .. '--kill-whom --root --job-mode --state --what',
    subcommands = {
      status = {}, show = {}, cat = {}, ['list-units'] = {}, ['list-unit-files'] = {},
      ['list-timers'] = {}, ['list-sockets'] = {}, ['list-dependencies'] = {},
      ['is-active'] = {}, ['is-enabled'] = {}, ['is-failed'] = {}, ['is-system-running'] = {},
      ['get-default'] = {}, help = {},
      start = {}, stop = {}, restart = {}, reload = {}, ['reload-or-restart'] = {},
      ['try-restart'] = {}, enable = {}, disable = {}, mask = {}, unmask = {}, kill = {}, edit = {},
      ['set-property'] = {}, ['set-default'] = {}, ['set-environment'] = {},
      ['import-environment'] = {}, link = {}, revert = {}, ['daemon-reload'] = {},
      ['daemon-reexec'] = {}, ['reset-failed'] = {}, isolate = {}, ['switch-root'] = {},
      poweroff = {}, reboot = {}, halt = {}, kexec = {}, ['soft-reboot'] = {}, rescue = {},
      emergency = {}, default = {}, suspend = {}, hibernate = {}, ['hybrid-sleep'] = {},
      ['suspend-then-hibernate'] = {}, exit = {}, clean = {}, freeze = {}, thaw = {},
    },
  },
  loginctl = {
    subcommands = {
      ['list-sessions'] = {}, ['session-status'] = {}, ['show-session'] = {}, ['list-users'] = {},
      ['terminate-session'] = {}, ['terminate-user'] = {}, ['kill-session'] = {},
      ['kill-user'] = {}, ['lock-session'] = {}, ['lock-sessions'] = {}, ['enable-linger'] = {},
      poweroff = {}, reboot = {}, halt = {}, suspend = {}, hibernate = {},
    },
  },
  ['service rc-service initctl sv s6-svc launchctl chkconfig update-rc.d rc-update'] = {},
  journalctl = {
    values = '-u --unit -n --lines -S --since -U --until -p --priority -o --output -b --boot -t '
      .. '--identifier -D --directory --file --root -g --grep --vacuum-size --vacuum-time '
      .. '--vacuum-files',
    reads = '--file -D --directory',
  },
  dmesg = { values = '-l --level -f --facility -n --console-level' },
  logger = { values = '-t -p -f -n -P', text = 'operands' },
  ['sysctl'] = { values = '-p --load -r --pattern', reads = '-p --load' },
  ['insmod rmmod modprobe depmod kmod'] = { values = '-d -C -S', executes = 'first' },
  ['kexec kdump'] = { values = '-l --load --initrd --append --command-line', executes = '-l '
    .. '--load' },
  ['setenforce semanage setsebool auditctl aa-disable aa-complain aa-teardown apparmor_parser '
    .. 'spctl csrutil tccutil fail2ban-client'] = {},
  ['iptables ip6tables iptables-restore ip6tables-restore iptables-save nft ebtables arptables '
    .. 'ipset ufw firewall-cmd pfctl'] = { values = '-t -A -D -I -p -s -d -j -i -o -f' },
  ['ip tc bridge ifconfig ifup ifdown iwconfig nmcli ethtool brctl resolvectl hostnamectl '
    .. 'timedatectl localectl networksetup scutil wg wg-quick'] = { values = '-n -netns -b '
      .. '-batch' },
  ['useradd userdel usermod groupadd groupdel groupmod gpasswd adduser deluser addgroup delgroup '
    .. 'passwd chpasswd chage chsh chfn newusers pwconv dscl'] = {},
  ['hwclock ntpdate chronyc'] = {},
  ['ldconfig update-grub grub-install grub-mkconfig update-initramfs dracut mkinitcpio '
    .. 'efibootmgr bootctl'] = {},
  ['crond cron anacron atd'] = {},
  ['defaults plutil pmset nvram bless diskutil hdiutil tmutil softwareupdate'] = {},
  ['eject rfkill rtcwake setterm chvt loadkeys xrandr xset xdotool ydotool wmctrl wl-copy xclip '
    .. 'xsel pbcopy pbpaste'] = {},
  ['notify-send say'] = { text = 'operands' },
  ['ipcrm'] = {},
  ['findmnt lslocks lsns nvidia-smi lsb_release'] = {
    values = '-o --output -F --tab-file -t --types -T --target -S --source -p --pid -i --id',
    reads = '-F --tab-file',
  },
  ['pkg-config pkgconf'] = { values = '--variable --define-variable' },
  ['needrestart reboot-required checkrestart'] = {},
}
