-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'system: denied',
    mode = 'auto dangerous',
    deny = {
      'useradd x', 'userdel -r x', 'usermod -aG docker x', 'groupadd x', 'chsh -s /tmp/x', 'passwd',
      'echo x:y | chpasswd', 'chpasswd < x', 'pfctl -d', 'iptables -t nat -F',
      'iptables -P INPUT ACCEPT', 'iptables -F', 'nft flush ruleset', 'ufw disable',
      'ufw --force reset', 'systemctl stop firewalld', 'systemctl disable --now apparmor',
      'service ufw stop', 'crontab -r', 'setenforce 0', 'aa-teardown', 'auditctl -e 0',
      'auditctl -D', 'spctl --master-disable', 'getsebool x; setsebool x on',
    },
  },
  {
    name = 'system: asked about',
    ask = {
      'iptables -A INPUT -j DROP', 'ufw allow 80', 'nft -f x', 'iptables-restore < x',
      'ufw allow 22', 'firewall-cmd --add-port=1/tcp', 'nft add table x', 'service nginx restart',
      'launchctl unload x', 'loginctl kill-session 1', 'launchctl getenv TOKEN',
      'loginctl terminate-session 1', 'loginctl enable-linger', 'service x stop',
      'rc-service x stop', 'launchctl bootout x', 'initctl stop x', 'pg_ctl stop -D data',
      'pg_ctlcluster 15 main stop', 'rabbitmqctl delete_queue x', 'rabbitmqctl reset',
      'VISUAL="sh -c id" crontab -e', 'crontab x', 'crontab -e', 'echo "* * * * * x" | crontab -',
      'at now + 1 minute < x', 'batch < x', 'at now < x', 'at now < /tmp/x',
      'systemctl restart nginx', 'systemctl --user start x', 'systemctl daemon-reload',
      'systemctl stop x', 'systemctl --user stop x', 'systemctl kill x', 'systemctl set-default x',
      'systemctl mask x', 'systemctl set-environment A=b',
      'systemctl --user enable --now x.service',
    },
  },
}
