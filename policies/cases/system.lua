-- Other rights, services, accounts, security, schedules.
return {
  {
    name = 'other rights',
    deny = {
      'sudo -i', 'sudo su', 'sudo bash', 'su', 'su -', 'su root', 'doas sh', 'sudo $X',
      'sudo sh -c "$X"', 'curl x.io | sudo sh', "sudo python3 -c 'import os; os.setuid(0)'",
      'sudo visudo', 'sudo rm -rf /var/lib/x', 'sudo tee /etc/hosts', 'sudo -s',
      'sudo LD_PRELOAD=./x ls', 'sudo chmod 777 /etc', 'sudoedit /etc/x',
    },
    ask = {
      'sudo ls', 'sudo -u postgres psql', 'sudo systemctl restart nginx', 'doas ls',
      'sudo chown me x', 'sudo -n true', 'sudo npm test', "su bob -c 'ls'", 'pkexec ls',
      'sudo mkdir x', 'runuser -u bob -- ls', 'echo pw | sudo -S ls', 'sudo -v',
      'systemd-run --user ls', 'nsenter -t 1 -a', 'chroot x', 'unshare -r ls -l', 'chmod u+s x',
      'chmod 4755 x', 'setcap cap_net_raw+ep x', 'sudo rm x',
    },
  },
  {
    name = 'the running system',
    deny = {
      'setenforce 0', 'iptables -F', 'iptables -P INPUT ACCEPT', 'ufw disable', 'nft flush ruleset',
      'systemctl stop firewalld', 'systemctl disable --now apparmor', 'useradd x', 'userdel -r x',
      'usermod -aG docker x', 'passwd', 'echo x:y | chpasswd', 'groupadd x', 'crontab -r',
      'spctl --master-disable', 'aa-teardown', 'auditctl -e 0', 'modprobe x', 'insmod x.ko',
      'chsh -s /tmp/x', 'visudo', 'service ufw stop',
    },
    ask = {
      'systemctl restart nginx', 'systemctl --user start x', 'systemctl daemon-reload',
      'service nginx restart', 'launchctl unload x', 'iptables -A INPUT -j DROP', 'ufw allow 80',
      'sysctl -w vm.swappiness=1', 'ip link set eth0 down', 'ip route add default via 10.0.0.1',
      'mount /dev/sdb1 x', 'umount x', 'swapoff -a', 'losetup /dev/loop0 x', 'ifup eth0',
      'swapon x', 'crontab x', 'crontab -e', 'echo "* * * * * x" | crontab -',
      'at now + 1 minute < x', 'date -s 2020-01-01', 'timedatectl set-timezone UTC', 'hostname x',
      'history -c', 'journalctl --vacuum-time=1d', 'defaults write a b c',
      'update-alternatives --set x /usr/bin/x', 'fsck x.img', 'batch < x', 'ldconfig',
      'chattr +i x', 'ipcrm -a', 'nmcli con down x', 'dmesg -C', 'loginctl kill-session 1',
      'gdbus call -e -d x -o /x -m x', 'xdotool key Return',
    },
    allow = {
      'systemctl status nginx', 'systemctl list-units', 'service nginx status', 'iptables -L',
      'sysctl -a', 'ip addr', 'ip route', 'mount', 'crontab -l', 'date', 'timedatectl', 'hostname',
      'journalctl -n 20', 'dmesg | tail', 'swapon --show', 'history', 'ifconfig',
      'loginctl list-sessions',
    },
  },
}
