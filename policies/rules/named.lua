-- Keys, passwords and secrets that a command names, where nothing says what it does with them: a
-- program without a table, or a word that its table does not describe. The rules about reading and
-- changing them are in credentials.lua and own.lua.
return {
  {
    id = 'named.credential',
    decision = 'ask',
    reason = 'This names a place of keys, passwords or records, and what the program does with it '
      .. 'is not known: let the program find it itself, or ask a person.',
    access = 'name',
    path = 'credential own_state',
    not_path = 'public_key',
    remote = false,
    match = {
      'frob ~/.ssh/id_rsa', 'frob --key=/home/user/.ssh/id_rsa', 'frob -k~/.aws/credentials',
      'ffmpeg -i "concat:/home/user/.ssh/id_rsa|a" b', 'KEY=~/.ssh/id_rsa frob',
      'frob file:///home/user/.netrc', 'frob <<< ~/.ssh/id_rsa', 'frob ~/.local/state/gibbous',
    },
    not_match = {
      'frob ~/.ssh/id_rsa.pub', 'echo ~/.ssh/id_rsa', 'frob https://example.com/.ssh/id_rsa',
      'git commit -m "document ~/.aws/credentials"', 'frob --exclude=/home/user/.ssh x',
    },
  },
  {
    id = 'named.secret',
    decision = 'ask',
    reason = 'This file usually holds secrets, and nothing is known of the program that gets it: '
      .. 'name an example file such as .env.example, or let the program load its settings itself.',
    access = 'name',
    path = 'secret',
    remote = false,
    -- What programs with a table do with such files is said there.
    test = function(command)
      return not command.known_program
    end,
    match = { 'frob .env', 'frob --file=.env.production', 'frob type=file,src=config/id_rsa' },
    not_match = {
      'frob .env.example', 'node --env-file=.env app.js', 'git add .env', 'frob --exclude=.env .',
      'frob https://example.com/.env', 'frob "loads .env on start"',
    },
  },
}
