-- What one rule alone decides, of rules that mostly agree with another one.
return {
  {
    name = 'what destroys the machine, where nothing else speaks against it',
    deny = {
      "export CLEANUP='rm -rf /'", "declare CLEANUP='rm -rf ~'", 'gparted', 'cfdisk', 'chmod 700 /',
      'touch /', 'mkdir /', 'cp -r etc /', 'rsync -a build/ /', 'tee / < x', 'rmdir /',
      'chmod 0 /usr',
    },
  },
  {
    name = 'settings and accounts of package managers',
    asked_or_denied = {
      'pip config set a b', 'pip3 config edit', 'pip config unset a', 'pnpm config delete a',
      'pnpm login', 'pnpm token create', 'pnpm owner add a b', 'poetry config pypi-token.pypi x',
      'poetry config http-basic.x u p', 'composer config http-basic.example.com u p',
      'gem sources -a http://e.com', 'mamba config --add channels x',
      'micromamba config append channels x', 'conda config --add channels x',
    },
  },
  {
    name = 'settings of package managers that are looked at',
    mode = 'auto',
    allow = {
      'pip config list', 'npm config get registry', 'poetry config --list',
      'poetry config virtualenvs.in-project true', 'npm config list',
    },
  },
  {
    name = 'programs that tools run by options that few people know',
    asked_or_denied = {
      'rsync -e ./x a b', 'rsync --rsync-path=./x a h:b', 'ssh -o ProxyCommand=./x h',
      'tcpdump -z ./x -w a', 'nmap --script ./x localhost', 'typeset -A aliases=([ls]=./x)',
      "read 'aliases[ls]' < x", 'nixops deploy', 'nixops destroy',
    },
  },
  {
    name = 'code that is read from elsewhere',
    not_free = {
      'sh < /tmp/x', 'sh -s a < ~/x', 'bash < "$X"', 'source /dev/stdin < /tmp/x',
      '. /dev/stdin < ~/x', 'source - < /tmp/x', 'python3 - < ~/x', 'node < /tmp/x',
      'tclsh < /tmp/x', 'osascript < "$X"', 'at now < /tmp/x', 'php < /tmp/x',
    },
  },
}
