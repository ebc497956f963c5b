-- Programs that change the running system: power, services, kernel, firewall, users, schedules.
return {
  systemctl = {
    values = '-H --host -M --machine -t --type -p --property -n --lines -o --output -s --signal '
      .. '--kill-whom --root --job-mode --state --what',
    subcommands = {
      status = {}, show = {}, start = {}, stop = {}, restart = {}, reload = {},
      ['reload-or-restart'] = {}, ['try-restart'] = {}, enable = {}, disable = {}, mask = {},
      unmask = {}, kill = {}, edit = {}, ['set-property'] = {}, ['set-default'] = {},
      ['set-environment'] = {}, ['import-environment'] = {}, link = {}, revert = {},
      ['daemon-reload'] = {}, ['daemon-reexec'] = {}, ['reset-failed'] = {}, isolate = {},
      ['switch-root'] = {}, poweroff = {}, reboot = {}, halt = {}, kexec = {}, ['soft-reboot'] = {},
      rescue = {}, emergency = {}, default = {}, suspend = {}, hibernate = {},
      ['hybrid-sleep'] = {}, ['suspend-then-hibernate'] = {}, exit = {}, clean = {}, freeze = {},
      thaw = {},
    },
  },
  loginctl = {
    subcommands = {
      ['terminate-user'] = {}, ['kill-user'] = {}, poweroff = {}, reboot = {}, halt = {},
      suspend = {}, hibernate = {},
    },
  },
  journalctl = {
    values = '-D --directory --file',
    reads = '--file -D --directory',
  },
  ['sysctl'] = { values = '-p --load', reads = '-p --load' },
  ['insmod rmmod modprobe depmod kmod'] = { values = '-d -C -S', executes = 'first' },
  ['kexec kdump'] = { values = '-l --load', executes = '-l '
    .. '--load' },
  ['logger notify-send say'] = { text = 'operands' },
}
