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
    match = { 'useradd bob', 'sudo usermod -aG sudo bob', "echo 'root:x' | chpasswd" },
    not_match = { 'id', 'grep bob /etc/passwd' },
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
}
