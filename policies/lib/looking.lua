-- What only looks at something elsewhere: at hosting services, clouds, engines and clusters. Rules
-- let that leave the sandbox, and ask about the rest of these programs.
local M = {}

local HELP = { ['--help'] = true, ['-h'] = true, ['--version'] = true, version = true,
  help = true, completion = true }

--- Returns the words of a command that are no options, its subcommand first.
---
--- Example: `looking.words(command)[1]`
---@param command CommandFacts
---@return string[]
function M.words(command)
  local words = {}
  for word in command.subcommand:gmatch('%S+') do
    words[#words + 1] = word
  end
  for _, index in ipairs(command.operands) do
    words[#words + 1] = command.argv[index]
  end
  return words
end

--- Returns true if a command asks for nothing but its help, or its version.
---
--- Example: `looking.is_help(command)`
---@param command CommandFacts
---@return boolean
function M.is_help(command)
  local last = command.argv[#command.argv]
  return #command.argv == 1 or HELP[last] ~= nil or HELP[command.argv[2]] ~= nil
end

--- Returns true if each option of a command matches one of these patterns.
---
--- Example: `looking.has_only(command, { '^%-%-all$' })`
---@param command CommandFacts
---@param allowed string[]
---@return boolean
function M.has_only(command, allowed)
  for _, index in ipairs(command.options) do
    local known = false
    for _, pattern in ipairs(allowed) do
      known = known or command.argv[index]:find(pattern) ~= nil
    end
    if not known then
      return false
    end
  end
  return true
end

local HIDDEN = { secret = true, variable = true, ['ssh-key'] = true, ['gpg-key'] = true,
  auth = true, codespace = true, api = true }
local LOOKS = { view = true, list = true, status = true, diff = true, checks = true, ls = true,
  watch = true }

--- Returns true for what looks at a hosting service: `gh pr view 12`.
---
--- Example: `looking.at_hosting(command)`
---@param command CommandFacts
---@return boolean
function M.at_hosting(command)
  local words = M.words(command)
  for _, index in ipairs(command.options) do
    local word = command.argv[index]
    if word:find('^%-%-web') or word == '-w' or word == '-t' or word:find('token')
      or word:find('^%-%-hostname') then
      return false
    end
  end
  return words[1] ~= nil and not HIDDEN[words[1]] and LOOKS[words[2] or ''] ~= nil
    or words[1] == 'status' or words[1] == 'auth' and words[2] == 'status' and #words == 2
end

local CHANGES = { 'delete', 'remove', 'create', 'update', 'set', 'add', 'cp', 'mv', 'rm', 'sync',
  'exec', 'deploy', 'start', 'stop', 'put', 'terminate', 'reset', 'ssh', 'login' }
local SECRETS = { 'secret', 'credential', 'token', 'key', 'env', 'password', 'parameter', 'http' }
local VERBS = { '^describe', '^list', '^ls$', '^show$' }
-- Options that name another place, say who one is, reveal something, or read or write a file.
local FAR = { 'endpoint', 'url', 'token', 'secret', 'key', 'input', 'file', 'debug', 'http',
  'impersonate', 'config', 'bundle', 'proxy', 'decrypt', 'reveal', 'account', 'verify' }

local function names_far(command)
  for _, index in ipairs(command.options) do
    local name = command.argv[index]:match('^%-+([^=]*)')
    for _, far in ipairs(FAR) do
      if (name or ''):find(far, 1, true) then
        return true
      end
    end
  end
  return false
end

--- Returns true for what looks at a cloud, and at none of its secrets: `aws s3 ls`.
---
--- Example: `looking.at_cloud(command)`
---@param command CommandFacts
---@return boolean
function M.at_cloud(command)
  local looked = false
  for _, word in ipairs(M.words(command)) do
    word = word:lower()
    for _, secret in ipairs(SECRETS) do
      if word:find(secret, 1, true) then
        return false
      end
    end
    for _, verb in ipairs(CHANGES) do
      if word == verb or word:find('^' .. verb .. '%-') then
        return false
      end
    end
    for _, verb in ipairs(VERBS) do
      looked = looked or word:find(verb) ~= nil
    end
  end
  return looked and not names_far(command)
end

local ENGINE = { ps = true, images = true, logs = true, ['compose ps'] = true,
  ['compose logs'] = true, ['image ls'] = true, ['container ls'] = true }
local ELSEWHERE = { '-H', '--host', '-c', '--context', '--config', '--url', '--connection', '-f',
  '--file', '--tls', '--remote', '--root', '--runtime', '--env-file', '--project-directory' }

--- Returns true for what looks at the containers of this machine: `docker ps`.
---
--- Example: `looking.at_engine(command)`
---@param command CommandFacts
---@return boolean
function M.at_engine(command)
  for _, index in ipairs(command.options) do
    for _, option in ipairs(ELSEWHERE) do
      local word = command.argv[index]
      local follows = option == '-f' and command.subcommand:find('logs$')
      if not follows and (word == option or word:sub(1, #option) == option and #option > 2) then
        return false
      end
    end
  end
  local words = M.words(command)
  return ENGINE[words[1] or ''] ~= nil or ENGINE[table.concat(words, ' ', 1, math.min(#words, 2))]
    ~= nil
end

local CLUSTER = { get = true, describe = true, logs = true }

--- Returns true for what looks at a cluster, and at none of its secrets: `kubectl get pods`.
---
--- Example: `looking.at_cluster(command)`
---@param command CommandFacts
---@return boolean
function M.at_cluster(command)
  for at = 2, #command.argv do
    local word = command.argv[at]:lower()
    if word:find('secret') or word:find('token') or word == '-s' or word:find('^%-%-raw')
      or word:find('^%-%-server') or word:find('^%-%-kubeconfig') or word:find('^%-%-as')
      or word:find('^%-%-context') or word:find('^%-%-cluster') then
      return false
    end
  end
  return CLUSTER[M.words(command)[1] or ''] ~= nil
end

return M
