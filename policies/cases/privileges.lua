-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'privileges: denied',
    mode = 'auto dangerous',
    deny = {
      'sudo visudo', 'visudo', 'sudoedit /etc/x', 'su root', 'su -', 'sudo su', 'sudo bash', 'su',
      'sudo -i', 'doas sh', 'sudo -s', 'sudo sh -c "$X"',
      'SUDO_EDITOR=./x sudoedit x',
      'sudo $X', 'sudo $CMD',
      "sudo fish -c 'rm x'", "sudo zsh -c 'rm *(N)'",
    },
  },
  {
    name = 'privileges: asked about',
    ask = {
      "sudo python3 -c 'import os; os.setuid(0)'", 'sudo apt-get install -y jq',
      'sudo dpkg -i x.deb', 'sudo make install', 'sudo ls', 'sudo -u postgres psql',
      'sudo systemctl restart nginx', 'doas ls', 'sudo chown me x', 'sudo -n true', 'sudo npm test',
      "su bob -c 'ls'", 'pkexec ls', 'sudo mkdir x', 'runuser -u bob -- ls', 'echo pw | sudo -S ls',
      'sudo -v', 'sudo rm x', 'sudo date 0101', 'sudo nsenter -t 1 -a', 'sudo date -s now',
      'chmod u+s x', 'chmod 4755 x', 'chmod +s x', 'chmod g+s x', 'chmod a+xs x', 'chmod ug=rwxs x',
      'chmod 6755 x', 'chmod 2755 x', 'chmod g+s d', 'find . -type f -exec chmod 4755 {} \\;',
      'chmod 04755 x', 'chmod a+s x',
    },
  },
  {
    name = 'privileges: free', mode = 'dangerous',
    free = {
      "sudo python3 -c 'import os; os.setuid(0)'", 'sudo apt-get install -y jq',
    },
  },
}
