-- What only looks at something elsewhere: at hosting services, clouds, engines and clusters. Rules
-- let that leave the sandbox, and ask about the rest of these programs.
local set = require('word_set').of

local M = {}

-- What of git's configuration is changed unasked.
M.SETTINGS = set 'user.name user.email core.autocrlf'

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

--- Returns true where a command connects to another machine, or to an unknown one.
---
--- Example: `looking.is_elsewhere(command)`
---@param command CommandFacts
---@return boolean
function M.is_elsewhere(command)
  for _, host in ipairs(command.hosts) do
    local here = host == 'localhost' or host == '0.0.0.0' or host == '0' or host == '::1'
      or host:find '^127%.' or host:find '%.localhost$' or host == 'host.docker.internal'
      or host == 'ip6-localhost'
    if not here then
      return true
    end
  end
  return #command.hosts == 0
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

--- Returns the operands of a command whose options are all among these, as the program itself reads
--- them: `-ab`, `-n5`, `-n 5`, `--name=value`. Nil if there is another, or an abbreviated one,
--- so that nothing is let through that a later version gives a meaning.
---
--- Example: `looking.operands_of(command, looking.options('-q', '-c -W'))`
---@param command CommandFacts
---@param options { flags: table<string, boolean>, valued: table<string, boolean> }
---@return string[]?
function M.operands_of(command, options)
  local words, at = {}, 2
  while at <= #command.argv do
    local word = command.argv[at]
    if word:find '^%-%-' then
      local name, value = word:match '^([^=]+)=?(.*)$'
      if options.valued[name] then
        at = word:find('=', 1, true) and at or at + 1
      elseif not options.flags[name] or value ~= '' then
        return nil
      end
    elseif word:find '^%-.' then
      for letter = 2, #word do
        local name = '-' .. word:sub(letter, letter)
        if options.valued[name] then
          at = letter == #word and at + 1 or at
          break
        elseif not options.flags[name] then
          return nil
        end
      end
    else
      words[#words + 1] = word
    end
    at = at + 1
  end
  return words
end

--- Returns the options of a program, for `operands_of`.
---
--- Example: `looking.options('-q -v', '-c')`
---@param flags string those without a value
---@param valued string those with one
---@return { flags: table<string, boolean>, valued: table<string, boolean> }
function M.options(flags, valued)
  return { flags = set(flags), valued = set(valued) }
end

--- Returns true where runs make what they like, such as in /tmp: what git finds there it must not
--- obey outside of the sandbox.
---
--- Example: `looking.is_among_files_of_runs(command)`
---@param command CommandFacts
---@return boolean
function M.is_among_files_of_runs(command)
  for _, access in ipairs(command.accesses) do
    for _, class in ipairs(access.access == 'enter' and access.classes or {}) do
      if class == 'made_by_runs' then
        return true
      end
    end
  end
  return command.cwd == ''
end

local SUBJECTS = set 'pr issue mr run repo release workflow label cache ci pipeline ruleset'
local LOOKS = set 'view list status diff checks ls watch'
local HOSTING = set [[comments log log-failed watch fail-fast exit-status verbose required
  name-only patch color draft json jq limit state label author assignee base head search repo
  milestone workflow branch user event commit status created job attempt interval mention app all
  closed merged opened per-page page output visibility source fork language topic compact sort
  order]]

local function is_of_hosting(option)
  local name = option:match '^%-%-([%w-]+)'
  return name ~= nil and HOSTING[name] ~= nil or option:find '^%-[acvLslABHSRqdmjubeioPp]$' ~= nil
    or option:find '^%-L%d+$' ~= nil
end

-- A repository, or its address, that may be on another host, which gets a token then.
local function is_elsewhere(word)
  return word:find('://', 1, true) ~= nil and not word:find '^https://git[hl][ua]b%.com/'
    or word:find '^[%w-]+%.[%w.-]+/[^/]+/[^/]+$' ~= nil or word:find '@[%w.-]+:' ~= nil
end

--- Returns true for what looks at a hosting service: `gh pr view 12`.
---
--- Example: `looking.at_hosting(command)`
---@param command CommandFacts
---@return boolean
function M.at_hosting(command)
  local words = M.words(command)
  if words[1] == 'auth' and words[2] == 'status' then
    return #command.argv == 3
  end
  local jq = false
  for at = 2, #command.argv do
    local word = command.argv[at]
    jq = jq or word == '-q' or word:find '^%-%-jq' ~= nil
    if is_elsewhere(word:gsub('^%-%-repo=', '')) then
      return false
    end
  end
  for at = 2, #command.argv do
    -- The variables of the environment, which a sandboxed run does not have.
    local word = command.argv[at]:lower()
    if jq and word:find '%f[%w]env%f[%W]' then
      return false
    end
  end
  for _, index in ipairs(command.options) do
    if not is_of_hosting(command.argv[index]) then
      return false
    end
  end
  return not M.is_among_files_of_runs(command)
    and (SUBJECTS[words[1] or ''] and LOOKS[words[2] or ''] or words[1] == 'status') == true
end

local SECRETS = { 'secret', 'credential', 'token', 'key', 'env', 'password', 'parameter', 'http' }
-- Options that name another place, say who one is, reveal something, or read or write a file.
local FAR = { 'endpoint', 'url', 'token', 'secret', 'key', 'input', 'file', 'debug', 'http',
  'impersonate', 'config', 'bundle', 'proxy', 'decrypt', 'reveal', 'account', 'verify' }
-- Words that stand before what is done, all of them: any other may itself do something.
local GROUPS = {
  gcloud = set [[compute instances projects config configurations auth run services revisions
    jobs container clusters node-pools builds functions sql databases backups operations storage
    buckets pubsub topics subscriptions iam service-accounts roles logging logs app versions dns
    managed-zones record-sets artifacts repositories images networks disks zones regions]],
  az = set [[group account vm vmss aks nodepool resource webapp functionapp acr repository storage
    container blob network vnet subnet nsg public-ip sql server db cosmosdb monitor deployment disk
    containerapp]],
}
local VERBS = { gcloud = set 'list describe', az = set 'list show' }
local AWS = M.options('--no-cli-pager --no-paginate', '--region --output --profile --query')

local function is_far(word)
  local name = word:match '^%-+([^=]*)' or ''
  for _, far in ipairs(FAR) do
    if name:find(far, 1, true) then
      return true
    end
  end
  -- Programs read the file that such a value names.
  return word:find '%f[%w]fileb?://' ~= nil or word:find '^@' ~= nil or word:find '=@' ~= nil
end

local function speaks_of_secrets(words)
  for _, word in ipairs(words) do
    for _, secret in ipairs(SECRETS) do
      if word:lower():find(secret, 1, true) then
        return true
      end
    end
  end
  return false
end

-- The service and what is done there, which only such options may precede.
local function of_aws(command)
  local at, valued = 2, AWS.valued
  while (command.argv[at] or ''):find '^%-' do
    local word = command.argv[at]
    if not (AWS.flags[word] or valued[word] or valued[word:match '^[^=]+']) then
      return nil
    end
    at = at + (valued[word] and 2 or 1)
  end
  return command.argv[at], command.argv[at + 1]
end

local function looks_by_aws(command)
  local service, verb = of_aws(command)
  if not service or not verb or service == 'history' then
    return false
  end
  for at = 2, #command.argv do
    local region = command.argv[at]:match '^%-%-region=(.*)$'
      or command.argv[at - 1] == '--region' and command.argv[at]
    if region and not region:find '^[%w-]+$' then
      return false -- part of a host's name
    end
  end
  return verb:find '^describe%-' ~= nil or verb:find '^list%-' ~= nil
    or service == 's3' and verb == 'ls' or service == 'configure' and verb == 'list'
end

--- Returns true for what looks at a cloud, and at none of its secrets: `aws s3 ls`.
---
--- Example: `looking.at_cloud(command)`
---@param command CommandFacts
---@return boolean
function M.at_cloud(command)
  for at = 2, #command.argv do
    if is_far(command.argv[at]) then
      return false
    end
  end
  local words = M.words(command)
  if speaks_of_secrets(words) then
    return false
  end
  if command.program == 'aws' then
    return looks_by_aws(command)
  elseif not GROUPS[command.program] then
    return false
  end
  for at, word in ipairs(words) do
    local storage = command.program == 'gcloud' and at == 2 and words[1] == 'storage'
    if at > 1 and (VERBS[command.program][word] or storage and word == 'ls') then
      return true
    elseif not GROUPS[command.program][word] then
      return false
    end
  end
  return false
end

local ENGINE = set 'ps images logs'
local LISTS = M.options('-a --all -q --quiet --no-trunc -s --size -l --latest --digests --services '
  .. '--orphans', '-f --filter --format -n --last --sort --status')
local COMPOSE_LISTS = M.options('-a --all -q --quiet --no-trunc --services --orphans',
  '--filter --format --status')
local LOGS = M.options('-f --follow -t --timestamps --details --no-color --no-log-prefix',
  '-n --tail --since --until --index')

--- Returns true for what looks at the containers of this machine: `docker ps`.
---
--- Example: `looking.at_engine(command)`
---@param command CommandFacts
---@return boolean
function M.at_engine(command)
  local logs = command.subcommand:find 'logs$' ~= nil
  local composes = command.subcommand:find '^compose' or command.program:find '%-compose$'
  local words = M.operands_of(command, logs and LOGS or composes and COMPOSE_LISTS or LISTS)
  if not words or composes and command.argv[2]:find '^%-' then
    return false
  end
  local two = table.concat(words, ' ', 1, math.min(#words, 2))
  return ENGINE[words[1] or ''] ~= nil or two == 'compose ps' or two == 'compose logs'
    or two == 'image ls' or two == 'container ls'
end

local CLUSTER = set 'get describe logs'
local OF_CLUSTER = {
  flags = '-A --all-namespaces -w --watch --watch-only --show-labels --no-headers --show-kind '
    .. '--ignore-not-found --show-managed-fields --timestamps --all-containers --prefix -h --help',
  valued = '-n --namespace -o --output -l --selector --field-selector --sort-by -L '
    .. '--label-columns --tail --since --since-time -c --container --limit-bytes '
    .. '--max-log-requests --request-timeout --chunk-size',
}
local CLUSTER_OPTIONS = M.options(OF_CLUSTER.flags, OF_CLUSTER.valued)
-- In `get`, -f names a file with what is to be shown, such as a secret, and -p is no option.
local CLUSTER_LOGS = M.options(OF_CLUSTER.flags .. ' -f --follow -p --previous', OF_CLUSTER.valued)

--- Returns true for what looks at a cluster, and at none of its secrets: `kubectl get pods`.
---
--- Example: `looking.at_cluster(command)`
---@param command CommandFacts
---@return boolean
function M.at_cluster(command)
  for at = 2, #command.argv do
    local word = command.argv[at]:lower()
    -- -o go-template-file=F prints what is in F.
    if word:find 'secret' or word:find 'token' or word:find '%-file'
      or word:find 'templatefile' then
      return false
    end
  end
  local logs = command.subcommand == 'logs'
  local words = M.operands_of(command, logs and CLUSTER_LOGS or CLUSTER_OPTIONS)
  return words ~= nil and CLUSTER[words[1] or ''] ~= nil
end

return M
