-- A program waits for input. A prompt has no newline, so it is matched once the output has been
-- quiet. See presets.lua.

return {
  {
    -- sudo, ssh, git, gpg, su: secrets
    regex = [[(?i)\b(?:password|passphrase|passcode|PIN|verification code)\b(?: (?:for|to|again)]]
      .. [[\b.*|)]]
      .. [[[^:]*: ?$]],
    event = 'prompt',
    match = {
      'Password: ',
      '[sudo] password for ann: ',
      "ann@example.org's password: ",
      "Enter passphrase for key '/home/ann/.ssh/id_ed25519': ",
      "Password for 'https://ann@github.com': ",
      'Enter passphrase (empty for no passphrase): ',
      'Verification code: ',
    },
    not_match = {
      'password: hunter2',
      'Password: changed for ann.',
      'Permission denied, please try again.',
      'passwords do not match',
    },
  },
  {
    -- [Y/n], (yes/no), ([y]/n)?
    regex = [[(?i)[\[(]\[?y(?:es)?\]?/\[?no?\]?(?:/[^\])]*\]?)?[\])] ?[?:]? ?$]],
    event = 'prompt',
    match = {
      'Do you want to continue? [Y/n] ',
      'Overwrite? (y/N) ',
      'Proceed ([y]/n)? ',
      'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
      'Is this ok [y/N]: ',
      "Would you like to install 'webpack-cli' (yes/no): ",
    },
    not_match = { 'Do you want to continue? [Y/n] y', 'options [y/n] are read from the config' },
  },
  {
    -- press any key, press ENTER to continue
    regex = [[(?i)^[^›]*\b(?:press|hit) (?:any key|[\[<]?(?:enter|return)[\]>]?)(?: key)?(?: ]]
      .. [[(?:to|when|for)\b.*)?[ .:…]*$]],
    event = 'prompt',
    match = {
      'Press any key to continue . . . ',
      'Press [ENTER] to continue or Ctrl-c to cancel adding it.',
      'Press ENTER to continue...',
      'Hit return to continue: ',
      'Press any key',
    },
    not_match = {
      'Press w to show more.', ' › Press Enter to trigger a test run.',
      'Press CTRL+C to quit', 'the press any keynote gets',
    },
  },
  {
    -- npm init
    regex = [[^(?:package name|version|description|entry point|test command|git repository|keywo]]
      .. [[rds]]
      .. [[|author|license|type|name): (?:\([^)]*\) )?$|^Is this OK\? \(yes\) ?$]],
    event = 'prompt',
    match = { 'package name: (app) ', 'version: (1.0.0) ', 'description: ', 'Is this OK? (yes) ' },
    not_match = { 'version: 1.0.0', 'description:', 'author: Ann' },
  },
  {
    -- inquirer, prompts and their like: npm create, vue create, gh
    regex = [[^\? \S]],
    event = 'prompt',
    match = {
      '\27[36m?\27[39m \27[1mProject name:\27[22m \27[90m›\27[39m \27[90mvite-project\27[39m',
      '\27[0;1;92m? \27[0m\27[0;1;99mWhat account do you want to log into?\27[0m  \27[0;36m[Use '
        .. 'arrows to move]\27[0m',
      '\27[32m?\27[39m \27[1mPick a preset:\27[22m \27[2m(Use arrow keys)\27[22m',
    },
    not_match = { '?? untracked.txt', 'what? nothing' },
  },
  {
    -- enter ..., select ..., user names
    regex = [[(?i)^(?:please )?(?:enter|type|input|select|choose)\b.*[:>?] ?$|^Username for '.*']]
      .. [[: ?$|^\S* ?login: $]],
    event = 'prompt',
    match = {
      'Enter file in which to save the key (/home/ann/.ssh/id_ed25519): ',
      'Please select a region: ',
      "Username for 'https://github.com': ",
      'example login: ',
      'Enter a number> ',
    },
    not_match = { 'Selected region: Europe', 'Entering directory: src', 'last login: today' },
  },
  {
    -- debuggers, shells of databases and languages
    regex = [[^(?:>>>|\.\.\.|\(gdb\)|\(lldb\)|\([Pp]db\)|ipdb>|mysql>|sqlite>|\S+:\d+]]
      .. [[(?:\[\d+\])?>|>|irb\(main\):\d+(?::\d+)?[>*]|\w+[=-][#>]) $]],
    event = 'prompt',
    match = {
      '>>> ', '(gdb) ', '(Pdb) ', 'mysql> ', 'sqlite> ', 'irb(main):001:0> ', 'postgres=# ',
      '127.0.0.1:6379> ', '127.0.0.1:6379[2]> ', '\27[1G\27[0J> \27[3G',
    },
    not_match = { '>>> import os', '(gdb) run', 'a -> b', '> 1 + 1' },
  },
}
