-- What leaves the sandbox unasked, for want of keys, sockets or settings that are hidden there, and
-- that changes nothing outside. Each word must be written out; beside it, only what reads
-- (reading.plain) may stand. A closed list: everything else runs inside, or a person is asked.

local looking = require 'looking'

local function operands(command)
  local words = {}
  for _, index in ipairs(command.operands) do
    words[#words + 1] = command.argv[index]
  end
  return words
end

local FETCH = {
  '^%-[apqvtnP46]+$', '^%-%-all$', '^%-%-prune$', '^%-%-prune%-tags$', '^%-%-tags$',
  '^%-%-no%-tags$',
  '^%-%-depth=?%d*$', '^%-%-deepen=?%d*$', '^%-%-unshallow$', '^%-%-quiet$', '^%-%-verbose$',
  '^%-%-progress$', '^%-%-dry%-run$', '^%-%-ipv[46]$', '^%-%-jobs=?%d*$', '^%-j%d*$',
  '^%-%-multiple$',
  '^%-%-heads$', '^%-%-refs$', '^%-%-symref$', '^%-%-exit%-code$', '^%-h$', '^%-%-single%-branch$',
  '^%-%-no%-single%-branch$', '^%-b$', '^%-%-branch=?[%w._/-]*$', '^%-%-bare$', '^%-%-mirror$',
  '^%-%-filter=blob:none$', '^%-%-filter=tree:0$', '^%-%-no%-checkout$', '^%-o$', '^%-%-origin$',
  '^%-%-sparse$', '^%-%-shallow%-since=[%w-]+$', '^%-%-get%-url$', '^%-%-sort=[%w:-]+$',
}

-- A repository on another machine, or the name of a remote: nothing below a directory.
local function is_remote(word)
  local host = (word:match '://([^/]*)' or ''):gsub('^[^@]*@', '')
  if host:find '^localhost' or host:find '^127%.' or host:find '^%[' or host:find '^0' then
    return false -- the machine itself
  end
  return word:find('^https?://') ~= nil or word:find('^ssh://') ~= nil
    or word:find('^git://') ~= nil
    or word:find('^[%w._-]+@[%w._-]+:[^/]') ~= nil or word:find('^[%w_-]+$') ~= nil
end

local GIT = { fetch = true, ['ls-remote'] = true, clone = true, ['remote update'] = true }

local function fetches(command)
  local words = operands(command)
  if not GIT[command.subcommand] or command.argv[2] ~= command.subcommand:match('^%S+') then
    return false -- an option of git itself stands before it
  end
  if command.subcommand == 'clone' and (#words == 0 or words[1]:find('^[%w_-]+$')) then
    return false -- a directory of the workspace
  end
  local obeys = command.subcommand ~= 'clone' and looking.is_among_files_of_runs(command)
  if obeys then
    return false
  end
  return looking.has_only(command, FETCH) and (#words == 0 or is_remote(words[1]))
end

local function sets_name(command)
  local words = operands(command)
  return not looking.is_among_files_of_runs(command)
    and command.argv[2] == 'config' and #words == 2 and looking.SETTINGS[words[1]]
    and words[2]:find('^[^%c;&|<>`$(){}"\']*$') ~= nil
    and looking.has_only(command, { '^%-%-local$' })
end

local function configures_branch(command)
  local option = command.argv[3] or ''
  if command.argv[2] ~= 'branch' or looking.is_among_files_of_runs(command) then
    return false
  end
  if option == '-u' or option == '--set-upstream-to' then
    return #command.argv <= 5 and (command.argv[4] or ''):find('^[%w_-]+/[%w._/-]+$') ~= nil
  end
  local words = operands(command)
  for _, word in ipairs(words) do
    if not word:find('^[%w._/-]+$') then
      return false
    end
  end
  return (option == '-d' or option == '--delete' or option == '-m' or option == '--move')
    and #words > 0 and #command.options == 1
end

local UNITS = { status = true, ['is-active'] = true, ['is-enabled'] = true, ['is-failed'] = true,
  ['list-units'] = true, ['list-timers'] = true, ['list-sockets'] = true, cat = true,
  ['list-unit-files'] = true, ['list-dependencies'] = true }

local function looks_at_units(command)
  local words = looking.words(command)
  return (#words == 0 or UNITS[words[1]]) and looking.has_only(command, {
    '^%-%-no%-pager$', '^%-%-user$', '^%-%-all$', '^%-a$', '^%-l$', '^%-%-full$', '^%-%-type',
    '^%-t$', '^%-%-state', '^%-%-failed$', '^%-n%d*$', '^%-%-lines', '^%-%-quiet$', '^%-q$',
    '^%-%-plain$', '^%-%-no%-legend$', '^%-o$', '^%-%-output',
  })
end

local RELEASES = looking.options(
  '-A --all-namespaces -a --all -q --short --deployed --failed --pending --superseded -d --date -r '
    .. '--reverse --show-desc',
  '-n --namespace -o --output -f --filter -m --max --offset -l --selector --revision')

local function looks_at_releases(command)
  return looking.operands_of(command, RELEASES) ~= nil
end

local LOGS = looking.options(
  '-x -e -f -r -q -a -k -m -l -b -0 -1 -2 -3 --catalog --pager-end --follow --reverse --quiet '
    .. '--all --dmesg --merge --full --no-full --no-pager --no-hostname --utc --user --system '
    .. '--list-boots --disk-usage --boot --lines',
  '-u --unit --user-unit -n -S --since -U --until -p --priority -g --grep -o --output -t '
    .. '--identifier --facility -F --field')

local function looks_at_logs(command)
  local argv = {}
  for at, word in ipairs(command.argv) do -- options whose values can only follow '='
    local name = word:match '^(%-%-lines)=%d+$' or word:match '^(%-%-boot)=[%w+-]+$'
    argv[at] = name or word
  end
  return looking.operands_of({ argv = argv }, LOGS) ~= nil
end

local PINGS = looking.options('-4 -6 -n -q -v -D -O', '-c -W -w -i -t')

local function pings(command)
  local hosts = looking.operands_of(command, PINGS)
  for at = 2, #command.argv do -- not without a pause
    local pause = command.argv[at]:match '^%-%w*i(.*)$'
    if pause and not (pause ~= '' and pause or command.argv[at + 1] or ''):find '^[1-9]' then
      return false
    end
  end
  return hosts ~= nil and #hosts == 1
end

local function lists_keys(command)
  return #command.argv == 2 and #command.argv[2] == 2
end

return {
  {
    id = 'leaving.git_fetch',
    decision = 'allow',
    leaves = true,
    program = 'git',
    subcommand = { 'fetch', 'ls-remote', 'clone', 'remote update' },
    test = fetches,
    unknown = 'stricter',
    match = { 'git fetch', 'git fetch origin main --depth=1', 'git clone https://github.com/a/b' },
    not_match = {
      'git fetch --upload-pack=./x', 'git -c core.sshCommand=./x fetch', 'git clone ../other x',
      'git clone --template=x https://a/b', 'git fetch --recurse-submodules', 'git fetch ../x',
      'git clone -c core.fsmonitor=./x https://a/b', 'git pull', 'git clone other x',
    },
  },
  {
    id = 'leaving.git_settings',
    decision = 'allow',
    leaves = true,
    program = 'git',
    subcommand = 'config',
    test = sets_name,
    unknown = 'stricter',
    match = { 'git config user.name Ann', 'git config --local user.email a@example.com' },
    not_match = {
      'git config core.editor user.name', 'git config --global user.name x', 'git config user.name',
      'git -c alias.config=x config user.name y',
    },
  },
  {
    id = 'leaving.git_branches',
    decision = 'allow',
    leaves = true,
    program = 'git',
    subcommand = 'branch',
    test = configures_branch,
    unknown = 'stricter',
    match = { 'git branch -d done', 'git branch -u origin/main', 'git branch -m new' },
    not_match = { 'git branch -D x', 'git branch', 'git branch new', 'git branch -u ../x/main' },
  },
  {
    id = 'leaving.hosting',
    decision = 'allow',
    leaves = true,
    program = 'gh glab',
    test = looking.at_hosting,
    unknown = 'stricter',
    match = { 'gh pr view 12', 'gh run list', 'glab mr diff 3', 'gh auth status' },
    not_match = {
      'gh pr create', 'gh api repos/a/b', 'gh auth status --show-token', 'gh pr view --web',
      'gh pr checkout 12', 'gh secret list', 'gh auth status -at', 'gh an-extension list',
      'gh pr list --json number --jq env.TOKEN', "gh pr list --json title -q '$ENV'",
      'gh pr view 1 -cw', 'gh pr list -R example.com/a/b', 'glab token list',
    },
  },
  {
    id = 'leaving.engines',
    decision = 'allow',
    leaves = true,
    program = 'docker podman docker-compose podman-compose',
    test = looking.at_engine,
    unknown = 'stricter',
    match = { 'docker ps -a', 'docker compose ps', 'docker logs --tail 50 app' },
    not_match = {
      'docker -H tcp://x ps', 'docker run x', 'docker --context prod ps', 'docker -Htcp://x ps',
      'docker -DHtcp://x ps', 'docker compose -fx.yml ps', 'podman -r ps',
    },
  },
  {
    id = 'leaving.clusters',
    decision = 'allow',
    leaves = true,
    program = 'kubectl',
    test = looking.at_cluster,
    unknown = 'stricter',
    match = { 'kubectl get pods -o wide', 'kubectl logs app' },
    not_match = {
      'kubectl get secret x -o yaml', 'kubectl get --raw /x', 'kubectl apply -f x',
      'kubectl --server=x get pods', 'kubectl get pods -shttps://x',
      'kubectl get pods -As https://x',
      'kubectl get -f x.yaml -o yaml', 'kubectl get pods -o go-template-file=x',
      'kubectl get pods --profile=cpu --profile-output=x', 'kubectl get pods --cache-dir=x',
      'kubectl get pods --insecure-skip-tls-verify',
    },
  },
  {
    id = 'leaving.helm',
    decision = 'allow',
    leaves = true,
    program = 'helm',
    subcommand = { 'list', 'ls', 'status', 'history', 'version' },
    test = looks_at_releases,
    unknown = 'stricter',
    match = { 'helm list -A' },
    not_match = { 'helm install x y', 'helm list --kube-apiserver x', 'helm get values x' },
  },
  {
    id = 'leaving.clouds',
    decision = 'allow',
    leaves = true,
    program = 'aws gcloud az',
    test = looking.at_cloud,
    unknown = 'stricter',
    match = { 'aws s3 ls', 'aws ec2 describe-instances --region eu-west-1', 'az group list' },
    not_match = {
      'aws s3 rm s3://x', 'aws secretsmanager list-secrets', 'aws --endpoint-url x s3 ls',
      'gcloud auth print-access-token', 'az group delete -n list-x',
      'aws ec2 run-instances list', 'aws sqs purge-queue list', 'aws iam attach-role-policy x ls',
      'aws ec2 describe-instances --filters file://x',
      'aws ec2 describe-vpcs --region x.example.com/',
      'aws history list', 'gcloud builds submit list', 'gcloud projects undelete list',
      'az vm restart list', 'az group list --query @x',
    },
  },
  {
    id = 'leaving.services',
    decision = 'allow',
    leaves = true,
    program = 'systemctl',
    test = looks_at_units,
    unknown = 'stricter',
    match = { 'systemctl status nginx', 'systemctl --user list-units --failed' },
    not_match = {
      'systemctl restart nginx', 'systemctl -H host status', 'systemctl show-environment',
    },
  },
  {
    id = 'leaving.service_logs',
    decision = 'allow',
    leaves = true,
    program = 'journalctl',
    test = looks_at_logs,
    unknown = 'stricter',
    match = { 'journalctl -u app --since today', 'journalctl -xeu app', 'journalctl -b -1 -n50' },
    not_match = {
      'journalctl --vacuum-size=1M', 'journalctl -D x', 'journalctl -qD x', 'journalctl --rot',
      'journalctl --cursor-f=x', 'journalctl -qi x',
    },
  },
  {
    id = 'leaving.ping',
    decision = 'allow',
    leaves = true,
    program = 'ping ping6',
    test = pings,
    unknown = 'stricter',
    match = { 'ping -c 1 example.com', 'ping -c3 -W 2 x' },
    not_match = {
      'ping -p 6162 example.com', 'ping -f x', 'ping -qf x', 'ping -qp6162 x', 'ping -i 0.001 x',
      'ping -b 192.0.2.255',
    },
  },
  {
    id = 'leaving.agent_keys',
    decision = 'allow',
    leaves = true,
    program = 'ssh-add',
    flags = '-l -L',
    test = lists_keys,
    unknown = 'stricter',
    match = { 'ssh-add -l', 'ssh-add -L' },
    not_match = { 'ssh-add', 'ssh-add -l -d x', 'ssh-add -l -D', 'ssh-add -lD' },
  },
}
