-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'system: denied',
    mode = 'auto dangerous',
    deny = {
      'useradd x', 'userdel -r x', 'usermod -aG docker x', 'groupadd x', 'chsh -s /tmp/x', 'passwd',
      'echo x:y | chpasswd', 'chpasswd < x', 'pfctl -d', 'iptables -t nat -F', 'nft flush ruleset',
      'ufw disable', 'ufw --force reset', 'systemctl stop firewalld',
      'systemctl disable --now apparmor', 'service ufw stop', 'crontab -r', 'setenforce 0',
      'aa-teardown', 'auditctl -e 0', 'spctl --master-disable', 'getsebool x; setsebool x on',
    },
  },
  {
    name = 'system: asked about',
    ask = {
      'iptables -A INPUT -j DROP', 'ufw allow 80', 'iptables-restore < x',
      'firewall-cmd --add-port=1/tcp', 'service nginx restart', 'pg_ctl stop -D data',
      'VISUAL="sh -c id" crontab -e', 'crontab x', 'echo "* * * * * x" | crontab -',
      'at now + 1 minute < x', 'batch < x', 'at now < /tmp/x', 'systemctl restart nginx',
      'systemctl --user start x',
    },
  },
}
