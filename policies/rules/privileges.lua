-- The rights of other users: sudo, doas, su, pkexec and the like.

-- Variables that name what programs load or run.
local OBEYED = {
  '^LD_', '^DYLD_', '^BASH_ENV$', '^ENV$', '^PATH$', '^PYTHON', '^PERL5', '^RUBY', '^NODE_',
  'PAGER$', 'EDITOR$', '^GIT_',
}

return {
  {
    id = 'privileges.shell',
    decision = 'deny',
    reason = 'What a shell with other rights will do cannot be judged: run the one command that '
      .. 'needs them.',
    privileged = true,
    program = 'sh bash dash zsh ksh fish su sudo doas pkexec run0 tmux screen ash csh tcsh',
    max_operands = 0,
    without_flags = '-l --list -v --validate -k -K --remove-timestamp -V --version -h --help -c '
      .. '--command',
    match = { 'sudo -i', 'sudo bash', 'sudo su', 'doas sh', 'sudo -s' },
    not_match = { 'sudo -v', 'sudo ls', "sudo bash -c 'ls'" },
  },
  {
    id = 'privileges.login',
    decision = 'deny',
    reason = 'What a shell with other rights will do cannot be judged: run the one command that '
      .. 'needs them.',
    program = 'su',
    without_flags = '-c --command --session-command --version --help',
    match = { 'su', 'su -', 'su bob', 'sudo su - postgres' },
    not_match = { "su bob -c 'ls'" },
  },
  {
    id = 'privileges.unknown',
    decision = 'deny',
    reason = 'A command that is known only when it runs would get other rights: write the '
      .. 'command itself.',
    privileged = true,
    doubt = 'unknown_program unknown_code piped_code decoded_code inline_code '
      .. 'unknown_command_argument',
    match = { 'sudo $CMD', 'cat x.sh | sudo bash', "sudo python3 -c 'import os; os.remove(x)'" },
    not_match = { 'sudo ls', '$CMD' },
  },
  {
    id = 'privileges.variables',
    decision = 'deny',
    reason = 'A program with other rights would load or run what this variable names: leave the '
      .. 'variable out.',
    privileged = true,
    test = function(command)
      for _, each in ipairs(command.assignments) do
        for _, pattern in ipairs(OBEYED) do
          if each.name:find(pattern) then
            return true
          end
        end
      end
      return false
    end,
    match = { 'sudo LD_PRELOAD=./x.so ls', 'sudo env PATH=. ls' },
    not_match = { 'sudo DEBIAN_FRONTEND=noninteractive apt-get install x', 'LD_PRELOAD=./x.so ls' },
  },
  {
    id = 'privileges.editors',
    decision = 'deny',
    reason = 'Who may have which rights is for a person to decide.',
    program = 'visudo vipw vigr sudoedit',
    match = { 'sudo visudo', 'sudoedit /etc/hosts' },
    not_match = { 'vi notes.txt' },
  },
  {
    id = 'privileges.other_user',
    decision = 'ask',
    reason = 'This runs with the rights of another user: do without them, or let a person run it.',
    privileged = true,
    match = { 'sudo ls /root', 'doas make install', 'sudo -u postgres psql', 'su - bob -c ls' },
    not_match = { 'ls', 'echo sudo' },
  },
  {
    id = 'privileges.set_user_id',
    decision = 'ask',
    reason = 'A program with the set-user-id bit runs with its owner\'s rights, for everybody: '
      .. 'use plain permissions such as 755.',
    program = 'chmod',
    argument = { 're:[ugoa]*[+=][rwxX]*[st][rwxXst]*', 're:0?[24567][0-7]{3}' },
    match = { 'chmod u+s tool', 'chmod 4755 tool', 'chmod +s tool' },
    not_match = { 'chmod 755 tool', 'chmod +x tool', 'chmod 1777 dir', 'chmod 0644 x' },
  },
}
