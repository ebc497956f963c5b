-- Asks about every use of the network except connections to this machine.
local LOCAL = { 'localhost', '127.*', '::1', '0.0.0.0', '*.localhost' }
local REASON = 'This uses the network, which needs approval here: work with local files, or ask '
  .. 'for it.'

return {
  {
    id = 'strict.addresses',
    decision = 'ask',
    reason = REASON,
    program = 'curl wget wget2 aria2c axel http https xh xhs lynx w3m ping dig nslookup host whois',
    not_host = LOCAL,
    match = { 'curl https://example.com', 'wget -q https://example.com/x', 'curl "$URL"' },
    not_match = { 'curl http://localhost:3000', 'ping -c 1 127.0.0.1' },
  },
  {
    id = 'strict.git',
    decision = 'ask',
    reason = REASON,
    program = 'git',
    subcommand = {
      'clone', 'fetch', 'pull', 'ls-remote', 'remote update', 'submodule update', 'submodule add',
    },
    match = { 'git pull', 'git clone https://example.com/a' },
    not_match = { 'git merge main', 'git submodule status' },
  },
  {
    id = 'strict.packages',
    decision = 'ask',
    reason = REASON,
    program = 'npm pnpm yarn bun pip pip3 uv poetry gem bundle cargo go composer',
    subcommand = {
      'install', 'i', 'ci', 'add', 'update', 'up', 'upgrade', 'download', 'fetch', 'get', 'sync',
      'lock', 'outdated', 'audit', 'view', 'info', 'search', 'require', 'mod download', 'mod tidy',
    },
    match = { 'npm ci', 'pip install -r requirements.txt', 'cargo add serde', 'uv sync' },
    not_match = { 'npm test', 'cargo build', 'pip list' },
  },
  {
    id = 'strict.fetched_programs',
    decision = 'ask',
    reason = REASON,
    within = { 'npx', 'pnpx', 'bunx', 'uvx', 'pipx' },
    match = { 'npx create-vite app', 'uvx ruff check' },
    not_match = { './node_modules/.bin/tsc' },
  },
}
