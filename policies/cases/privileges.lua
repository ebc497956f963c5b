-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'privileges: denied',
    mode = 'auto dangerous',
    deny = {
      'sudo visudo', 'visudo', 'sudoedit /etc/x', 'su root', 'sudo su', 'sudo bash', 'su',
      'sudo -i', 'doas sh', 'sudo sh -c "$X"', 'SUDO_EDITOR=./x sudoedit x',
      'sudo $X',
      "sudo fish -c 'rm x'", "sudo zsh -c 'rm *(N)'",
    },
  },
  {
    name = 'privileges: asked about',
    ask = {
      "sudo python3 -c 'import os; os.setuid(0)'", 'sudo apt-get install -y jq',
      'sudo make install', 'sudo ls', "su bob -c 'ls'", 'runuser -u bob -- ls',
      'echo pw | sudo -S ls', 'sudo rm x', 'chmod u+s x', 'chmod +s x', 'chmod ug=rwxs x',
      'find . -type f -exec chmod 4755 {} \\;',
    },
  },
  {
    name = 'privileges: free', mode = 'dangerous',
    free = {
      "sudo python3 -c 'import os; os.setuid(0)'", 'sudo apt-get install -y jq',
    },
  },
}
