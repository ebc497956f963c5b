-- Keys, passwords and tokens. The list of places is in policies/lib/credentials.lua.
local looking = require 'looking'
local set = require('word_set').of

-- Lines of these programs that print secrets; of the others, all do.
local PRINTING = {
  ['secret-tool'] = { ' lookup ', ' search ' }, ['cloud-init'] = { ' query ' },
  pass = { '/', ' %-c ', ' show ' }, helm = { ' get all ', ' get manifest ' },
  aws = { 'configure get .*secret', 'configure get .*token', 'configure export' },
  kubectl = { 'config view .*%-%-raw' }, oc = { 'config view .*%-%-raw' },
  getent = { ' g?shadow ' }, git = { '^git credential%-' }, az = { 'secret show ' },
  gh = { 'config get .*token' }, glab = { 'config get .*token' },
  npm = { 'config get .*_auth', 'config get .*[tT]oken' },
}
-- What is told of files that are found, but for what is in them.
local SHOWS = set 'head tail wc sort uniq grep rg less awk sed cut egrep tee read'

return {
  {
    id = 'credentials.read',
    decision = 'deny',
    reason = 'This holds keys or passwords, which no command of an agent may read: let the '
      .. 'program that needs them read them itself, or ask a person.',
    access = 'read execute',
    path = 'credential credential_shape',
    not_path = 'public_key',
    recursive = false,
    remote = false,
    match = { 'cat ~/.ssh/id_rsa', 'base64 < ~/.aws/credentials', 'sudo cat /etc/shadow' },
    not_match = { 'cat ~/.ssh/id_rsa.pub', 'cat ~/.ssh/known_hosts', 'ls ~/.ssh', 'cat README.md' },
  },
  {
    id = 'credentials.read_tree',
    decision = 'deny',
    reason = 'Keys or passwords lie in there, which no command of an agent may read: name the '
      .. 'files that you need.',
    access = 'read',
    path = 'credential credential_shape',
    not_path = 'home system_root holds_workspace workspace_root',
    recursive = true,
    remote = false,
    match = { 'cp -r ~/.ssh keys', 'tar czf k.tgz ~/.gnupg', 'grep -r token ~/.config' },
    not_match = { 'grep -r x ~/notes', 'tar czf x.tgz src' },
  },
  {
    id = 'credentials.enter',
    decision = 'ask',
    reason = 'This works in a directory of keys or passwords: let the program that needs them find '
      .. 'them itself, or ask a person.',
    access = 'enter execute',
    path = 'credential credential_shape',
    not_path = 'public_key',
    remote = false,
    test = function(command)
      -- Names are no secrets.
      return command.program ~= 'ls' and command.program ~= 'find'
    end,
    match = { 'git -C ~/.password-store log -p', 'make -C ~/.ssh', 'cd ~/.ssh && make' },
    not_match = { 'ls ~/.ssh', 'cd src', 'git -C sub log' },
  },
  {
    id = 'credentials.search',
    decision = 'ask',
    reason = 'This reads a whole home or system tree, with the keys and passwords in it: '
      .. 'name the directory that you need.',
    access = 'read',
    path = 'home system_root holds_workspace',
    recursive = true,
    remote = false,
    match = { 'grep -r password ~', 'tar cf all.tar /etc', 'rg secret /', 'cp -r ~ backup' },
    not_match = { 'grep -r TODO .', 'grep root /etc/passwd', 'find / -name libc.so.6' },
  },
  {
    id = 'credentials.change',
    decision = 'deny',
    reason = 'This holds keys or passwords, which no command of an agent may change or remove: '
      .. 'ask a person to do it.',
    access = 'write remove permission',
    path = 'credential credential_shape',
    remote = false,
    match = { 'echo "ssh-ed25519 AAAA" >> ~/.ssh/authorized_keys', 'rm ~/.aws/credentials' },
    not_match = { 'echo x > notes.txt' },
  },
  {
    id = 'credentials.secret_files',
    decision = 'ask',
    reason = 'This file usually holds secrets, and what a command prints goes to the model: read '
      .. 'an example file such as .env.example, or let the program load it itself.',
    access = 'read',
    path = 'secret',
    remote = false,
    match = { 'cat .env', 'grep API_KEY .env.local', 'head -c 100 config/credentials.json' },
    not_match = { 'cat .env.example', 'cp .env.example .env', 'test -f .env' },
  },
  {
    id = 'credentials.print_token',
    decision = 'deny',
    reason = 'This prints a token or password: let the program that needs it ask for it itself.',
    program = 'gcloud az aws doctl security secret-tool keyring gpg gpg2 heroku docker oc vault',
    argument = {
      'print-access-token', 'print-identity-token', 'get-access-token', 'get-session-token',
      'get-secret-value', 'export-credentials', 'get-login-password', 'get-authorization-token',
      'find-generic-password', 'find-internet-password', 'dump-keychain', 'auth:token',
      'config:get', '--export-secret-keys', '--export-secret-subkeys', '--show-token',
    },
    match = { 'gcloud auth print-access-token', 'gpg --export-secret-keys -a' },
    not_match = { 'gpg --verify x.sig', 'aws s3 ls' },
  },
  {
    id = 'credentials.print_host_token',
    decision = 'deny',
    reason = 'This prints a token or password: let the program that needs it ask for it itself.',
    program = 'gh glab git',
    subcommand = { 'auth token', 'credential' },
    match = { 'gh auth token', 'git credential fill' },
    not_match = { 'gh auth status', 'git commit -m credential' },
  },
  {
    id = 'credentials.show_token',
    decision = 'deny',
    reason = 'This prints a token or password: leave out the option.',
    program = 'gh glab',
    flags = '--show-token',
    match = { 'gh auth status --show-token' },
    not_match = { 'gh auth status' },
  },
  {
    id = 'credentials.print_cluster_secret',
    decision = 'deny',
    reason = 'This prints secrets of a cluster: list them without -o, or let the workload mount '
      .. 'them.',
    program = 'kubectl oc kubecolor',
    subcommand = 'get',
    operand = { 'secret', 'secrets', 'secret/*', 'secrets/*', 're:(?:.*,)?secrets?(?:[,/].*)?' },
    flags = '-o --output --template',
    match = { 'kubectl get secret db -o yaml' },
    not_match = { 'kubectl get secrets', 'kubectl get pods -o wide' },
  },
  {
    id = 'credentials.print_secret',
    decision = 'deny',
    reason = 'This prints secrets: let the program that needs them ask for them itself.',
    program = 'vault op pass bw sops lpass gcloud chamber',
    test = function(command)
      local line = command.program .. ' '
        .. table.concat(looking.words(command), ' ') .. ' '
      for _, head in ipairs {
        'vault read ', 'vault kv get ', 'op read ', 'op item get ', 'pass show ', 'bw get ',
        'lpass show ', 'sops decrypt ', 'chamber read ', 'chamber export ',
        'gcloud secrets versions access ',
      } do
        if line:sub(1, #head) == head then
          return true
        end
      end
      return false
    end,
    match = { 'vault kv get secret/db', 'pass show mail' },
    not_match = { 'vault status', 'pass ls' },
  },
  {
    id = 'credentials.metadata',
    decision = 'deny',
    reason = 'This address gives out the credentials of the machine: no command may ask it.',
    host = {
      '169.254.169.254', '169.254.170.2', 'metadata.google.internal', 'metadata', '100.100.100.200',
      'fd00:ec2::254', '*.metadata.google.internal', '2852039166', '0xa9fea9fe',
    },
    match = { 'curl http://169.254.169.254/latest/meta-data/iam/' },
    not_match = { 'curl http://localhost:8080/' },
  },
  {
    id = 'credentials.print_keys',
    decision = 'ask',
    reason = 'This file usually holds a key or secrets, and what a command prints goes to the '
      .. 'model: let the program that needs it read it itself.',
    program = 'cat tac head tail less more bat base64 xxd strings od hexdump nl',
    argument = {
      '*.pem', '*.key', '.npmrc', '*/.npmrc', '*/.ssh/id_*', '*/.aws/credentials', '*/.env',
      '*.env', '.en?', 're:\\.e\\*', 're:.*\\.env\\*',
      '/proc/*/environ', '*/id_rsa', '*/id_ed25519',
    },
    not_argument = {
      're:.*(?:pub|cert|chain|ca|example|sample|template)[a-z0-9_-]*\\.(?:pem|key|env)',
      're:.*\\.(?:eslintrc|editorconfig)[a-z.]*',
      '.env.*', '*.pub', '.eslint*', '.editor*',
    },
    match = { 'cat server.key', 'cat *.pem', 'cat .npmrc', 'cat "$X/.ssh/id_rsa"', 'cat */.env' },
    not_match = { 'cat cert.pem', 'cat .env.example', 'cat a.txt', 'cat .editorconfig' },
  },
  {
    id = 'credentials.devices',
    decision = 'ask',
    reason = 'What is in this device is not only yours: read the files that you need.',
    access = 'read',
    path = 'device',
    not_path = 'serial_port harmless_device',
    remote = false,
    match = { 'cat /dev/sda', 'dd if=/dev/mem of=x', 'strings /proc/kcore' },
    not_match = { 'head -c 16 /dev/urandom', 'ls /dev', 'dd if=/dev/zero of=x' },
  },
  {
    id = 'credentials.metadata_address',
    decision = 'deny',
    reason = 'This address gives out the credentials of the machine: no command may ask it.',
    program = {
      'curl', 'wget', 'wget2', 'http', 'xh', 'python', 'python3', 'python3.*', 'node', 'ruby',
      'perl',
    },
    argument = {
      're:(?s).*(?:(?://|@|:)169\\.254\\.|0251\\.0376\\.|//instance-data\\b|'
        .. '//192\\.0\\.0\\.192|metadata\\.google\\.internal).*',
    },
    match = { 'curl http://[::ffff:169.254.169.254]/', 'curl http://0251.0376.0251.0376/' },
    not_match = { 'curl http://10.169.254.1/', 'curl http://localhost/' },
  },
  {
    id = 'credentials.print_more',
    decision = 'ask',
    reason = 'This prints keys or secrets: let the program that needs them ask for them itself, or '
      .. 'name the values that you need.',
    program = 'secret-tool cloud-init pass aws kubectl oc getent git npm az gh glab helm '
      .. 'kwallet-query ec2-metadata ec2metadata',
    test = function(command)
      local line = table.concat(command.argv, ' ') .. ' '
      for _, pattern in ipairs(PRINTING[command.program] or { '' }) do
        if line:find(pattern) then
          return true
        end
      end
      return false
    end,
    match = { 'secret-tool lookup a b', 'kubectl config view --raw', 'helm get all app' },
    not_match = { 'kubectl config view', 'getent passwd', 'pass ls', 'helm get values app' },
  },
  {
    id = 'credentials.hunt',
    decision = 'ask',
    reason = 'This looks for keys and gives what it finds to another program: name the file that '
      .. 'you need.',
    program = 'locate plocate mlocate find fd fdfind gfind',
    argument = {
      're:(?i).*(?:id_rsa|id_ed25519|id_ecdsa|\\.pem|\\.p12|\\.pfx|\\.kdbx|\\.keystore|\\.netrc|'
        .. '\\.pgpass|shadow|wallet\\.dat|credentials|\\.env|tfstate|secrets?).*',
    },
    test = function(command)
      local first = command.feeds[1]
      return first ~= nil and not SHOWS[first]
    end,
    match = { 'locate id_rsa | xargs cat', "find / -name '*.pem' | xargs cat" },
    not_match = { "find . -name '*.pem'", "find . -name '*.ts' | xargs cat" },
  },
}
