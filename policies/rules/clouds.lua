-- What costs money or is shared: clouds, infrastructure as code, configuration of many machines.
local verbs = require 'verbs'

local CLOUDS = 'aws awslocal gcloud gsutil bq az doctl hcloud linode-cli vultr-cli scw oci '
  .. 'ibmcloud '
  .. 'aliyun tccli exo flyctl fly heroku vercel netlify railway render surge firebase supabase '
  .. 'cf eb '
  .. 'deployctl s3cmd s4cmd s5cmd mc b2 stripe twilio sentry-cli vault consul nomad etcdctl '
  .. 'databricks snow wrangler rclone neonctl pscale planetscale turso upstash mongocli atlas '
  .. 'confluent auth0 okta eksctl kops argocd argo flux linkerd cilium velero openstack govc '
  .. 'circleci sst amplify copilot dokku juju doppler infisical op bw chamber jf jfrog oras regctl '
  .. 'crane skopeo restic borg kopia istioctl tailscale cloudflared porter okteto garden'
local READ_ELSEWHERE = 'pulumi cdk cdktf serverless sls sam kubectl oc helm docker podman'

verbs.prepare()

return {
  {
    id = 'clouds.change',
    decision = 'ask',
    reason = 'This may change or bill something in the cloud: look with list, get and describe, '
      .. 'and let a person approve the rest.',
    program = CLOUDS,
    test = function(command)
      return not verbs.looks(command)
    end,
    match = {
      'aws s3 rm s3://bucket --recursive', 'gcloud compute instances delete vm', 'vercel --prod',
      'az group delete -n x', 'aws s3 cp dump.sql s3://bucket/', 'heroku run bash',
      'aws ec2 terminate-instances --instance-ids list-x', 'gcloud projects delete list',
    },
    not_match = {
      'aws s3 ls', 'aws ec2 describe-instances', 'gcloud projects list', 'az account show',
    },
  },
  {
    id = 'clouds.verbs',
    decision = 'ask',
    reason = 'This has the shape of removing, resetting or stopping something that is not in the '
      .. 'workspace: look with list and show, and let a person approve the rest.',
    argument = {
      're:(?i)[a-z][\\w:.-]*(?:delet|destr|termin|purg|reset|wip|drop|eras|remov|nuk|prun|'
        .. 'trunc|flush|revok|'
        .. 'install|down|deprov|deploy|dismiss|forget|regist|publish|rollback|revert|undo|'
        .. 'fresh|zap|evict|drain|'
        .. 'expung|scrub|factory|trash|del|rm|rb|stop|boot|power|halt|kill|suspend|cancel|'
        .. 'abort|disabl|'
        .. 'detach|commission|seal|fail)[\\w:.-]*',
      're:(?i)(?:delete|destroy|terminate|purge|reset|wipe|drop|erase|remove|rm|rb|nuke|prune|'
        .. 'truncate|'
        .. 'flush|revoke|uninstall|teardown|del|stop|down|kill|shutdown|reboot|restart|undo|zap|'
        .. 'evict|drain|cancel|abort|disable|detach|halt|poweroff|suspend|decommission|forget|'
        .. 'rollback|revert|downgrade|undeploy|dismiss|fresh|trash|yank|clobber|unregister|'
        .. 'deregister|expire|leave|quit|redo|failover|shred)(?:[-_:.]?[\\w:.-]*)?',
      're:--?(?:[\\w-]*-)?(?:delete|destroy|terminate|purge|reset|wipe|drop|erase|remove|nuke|'
        .. 'prune|'
        .. 'truncate|flush|revoke|uninstall)(?:[-=].*)?',
    },
    test = function(command)
      -- What the project itself provides is judged as its scripts are.
      local last = command.within[#command.within]
      if last == 'uv run' or last == 'poetry run' or last == 'pdm run' or last == 'pipenv run'
        or last == 'hatch run' or last == 'pnpm exec' or last == 'bundle exec' then
        return false
      end
      if verbs.is_local(command) or command.argv[1]:find('^%.?%.?/.*/%.bin/') == nil
        and command.argv[1]:find('^%.%.?/') then
        return false
      end
      for at, word in ipairs(verbs.operands(command, 4)) do
        -- mycli message send 'delete': words far behind are mostly data.
        if verbs.removes(word) and at <= 3 then
          return true
        end
      end
      for _, index in ipairs(command.options) do
        if verbs.option_removes(command.argv[index]) then
          return true
        end
      end
      return false
    end,
    match = {
      'acmectl nodes purge --all', 'mycli project delete x', 'xyz deleteCluster x',
      'foo-cli cluster:destroy x', 'restic forget --prune', 'k delete pod x', 'qm destroy 100',
      'argocd app delete x', 'govc vm.destroy x', 'mc mirror --remove a b',
    },
    not_match = {
      'argocd app list', 'make reset', 'git rm x', 'eslint src/delete.ts', './manage.sh reset',
      'mytool list', 'echo delete', 'acmectl describe reset.css', 'npm run db:reset',
      'uv run app delete',
    },
  },
  {
    id = 'clouds.wipers',
    decision = 'ask',
    reason = 'This removes all that it finds in an account: let a person run it.',
    program = { '*-nuke', '*-nuke.sh', '*uninstall', '*-uninstall.sh', '*-destroy', '*-purge' },
    match = { 'aws-nuke -c x', 'cloud-nuke aws', 'k3s-uninstall.sh' },
    not_match = { 'aws s3 ls' },
  },
  {
    id = 'clouds.infrastructure',
    decision = 'ask',
    reason = 'This changes infrastructure or its recorded state: use plan or preview, and let a '
      .. 'person apply it.',
    program = 'terraform tofu terragrunt pulumi cdk cdktf serverless sls sam packer nixops',
    subcommand = {
      'apply', 'destroy', 'import', 'refresh', 'taint', 'untaint', 'force-unlock', 'login',
      'run-all', 'state rm', 'state mv', 'state push', 'workspace delete', 'workspace new',
      'workspace select', 'console', 'deploy', 'up', 'update', 'remove', 'cancel', 'publish',
      'rollback', 'bootstrap', 'state replace-provider', 'build', 'delete',
    },
    test = function(command)
      if command.subcommand == 'run-all' then
        local verb = command.argv[command.operands[1]]
        return verb ~= 'plan' and verb ~= 'validate' and verb ~= 'output' and verb ~= 'init'
      end
      return command.subcommand ~= 'build' or command.program == 'packer'
    end,
    match = {
      'terraform apply -auto-approve', 'terraform destroy', 'pulumi up', 'cdk deploy',
      'packer build x',
    },
    not_match = { 'terraform plan', 'terraform validate', 'pulumi preview', 'terraform init',
      'sam build' },
  },
  {
    id = 'clouds.state',
    decision = 'ask',
    reason = 'This changes where infrastructure is recorded, or which of it is worked on: let a '
      .. 'person do it.',
    program = 'terraform tofu terragrunt pulumi',
    test = function(command)
      local words = verbs.operands(command, 2)
      local first, second = words[1], words[2]
      if command.program == 'pulumi' then
        return (first == 'stack' or first == 'state' or first == 'config') and second ~= nil
          and second ~= 'ls' and second ~= 'get' and second ~= 'output' and second ~= 'history'
          and second ~= 'graph' or first == 'login' or first == 'logout' or first == 'org'
      end
      if first ~= 'init' then
        return false
      end
      for at = 2, #command.argv do
        if command.argv[at]:find('^%-%-?migrate%-state') or command.argv[at]:find('^%-%-?reconfig')
          or command.argv[at]:find('^%-%-?force%-copy')
          or command.argv[at]:find('^%-%-?upgrade') then
          return true
        end
      end
      return false
    end,
    match = { 'terraform init -migrate-state', 'pulumi stack select prod' },
    not_match = { 'terraform init', 'pulumi stack ls', 'pulumi preview' },
  },
  {
    id = 'clouds.many_machines',
    decision = 'ask',
    reason = 'This changes other machines, perhaps many: use --check, and let a person approve '
      .. 'the rest.',
    program = 'ansible ansible-playbook ansible-pull salt salt-call puppet chef chef-client pdsh '
      .. 'pssh clush parallel-ssh fab cap kamal knife chef-solo chef-run bolt mina dsh sshpt',
    without_flags = '--syntax-check --list-hosts --list-tasks --version --help --check -C',
    match = { 'ansible-playbook site.yml', 'ansible all -m ping' },
    not_match = { 'ansible-playbook --syntax-check site.yml', 'ansible-lint' },
  },
  {
    id = 'clouds.other_cluster',
    decision = 'ask',
    reason = 'This changes which cluster later commands work on, or opens one for changes: name '
      .. 'the context in the command itself.',
    program = 'kubectx kubens k9s kubie ktx skaffold tilt devspace kubeadm talosctl clusterctl rke '
      .. 'ansible-console esxcli pvesh vmrun prlctl xe maas vcsim chalice zappa up architect werf '
      .. 'jira linear trello buildkite-agent slack-cli caprover coolify render-cli',
    test = function(command)
      if command.program == 'kubectx' or command.program == 'kubens' then
        return #command.operands > 0
      end
      return #command.argv == 1 or not verbs.looks(command)
    end,
    match = { 'kubectx prod', 'k9s', 'skaffold run', 'kubeadm init' },
    not_match = { 'kubectx', 'talosctl version', 'jira issue list' },
  },
  {
    id = 'clouds.reads',
    decision = 'allow',
    program = CLOUDS .. ' ' .. READ_ELSEWHERE .. ' kubectx kubens talosctl jira linear',
    only_reads = 'harmless_device',
    test = function(command)
      local words = verbs.operands(command, 4)
      local own = { kubectl = true, oc = true, helm = true, docker = true, podman = true }
      if own[command.program] then
        -- reading.lua knows these; here are their plugins and less common words.
        return verbs.looks(command) and (words[1] == 'manifest' or words[1] == 'buildx'
          or words[1] == 'scout' or words[1] == 'context' or words[1] == 'api-resources')
      end
      return verbs.looks(command) or (command.program:find('^kube') ~= nil and #words == 0)
    end,
    match = {
      'aws s3 ls', 'az account show', 'gcloud compute instances list', 'doctl compute droplet list',
      { command = 'aws ec2 describe-instances', mode = 'plan' }, 'argocd app list', 'vault status',
    },
    not_match = { 'aws s3 rm s3://x', 'az group delete -n list', 'gcloud auth login' },
  },
  {
    id = 'clouds.plans',
    decision = 'allow',
    modes = { 'auto' },
    program = 'terraform tofu terragrunt pulumi cdk cdktf serverless sls sam packer',
    subcommand = {
      'init', 'plan', 'validate', 'fmt', 'preview', 'diff', 'synth', 'list', 'ls', 'build',
      'package', 'get', 'providers', 'graph', 'output', 'show', 'version', 'test', 'inspect',
      'stack', 'logs', 'run-all',
    },
    match = { 'terraform plan -out=x', 'terraform init', 'cdk diff', 'pulumi preview' },
    not_match = { 'terraform apply' },
  },
}
