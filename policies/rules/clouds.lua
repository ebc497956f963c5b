-- What costs money or is shared: clouds, infrastructure as code, configuration of many machines.
local looking = require 'looking'

local CLOUDS = 'aws awslocal gcloud gsutil bq az doctl hcloud linode-cli vultr-cli scw oci '
  .. 'ibmcloud '
  .. 'aliyun tccli exo flyctl fly heroku vercel netlify railway render surge firebase supabase '
  .. 'cf eb '
  .. 'deployctl s3cmd s4cmd s5cmd mc b2 stripe twilio sentry-cli vault consul nomad etcdctl '
  .. 'databricks snow wrangler rclone neonctl pscale planetscale turso upstash mongocli atlas '
  .. 'confluent auth0 okta eksctl kops argocd argo flux linkerd cilium velero openstack govc '
  .. 'circleci sst amplify copilot dokku juju doppler infisical op bw chamber jf jfrog oras regctl '
  .. 'crane skopeo restic borg kopia istioctl tailscale cloudflared porter okteto garden'

return {
  {
    id = 'clouds.change',
    decision = 'ask',
    reason = 'This may change or bill something in the cloud: look with list, get and describe, '
      .. 'and let a person approve the rest.',
    program = CLOUDS,
    test = function(command)
      return not (looking.at_cloud(command) or looking.is_help(command))
    end,
    match = {
      'aws s3 rm s3://bucket --recursive', 'gcloud compute instances delete vm', 'vercel --prod',
      'az group delete -n x', 'aws s3 cp dump.sql s3://bucket/', 'heroku run bash',
      'aws ec2 terminate-instances --instance-ids list-x', 'gcloud projects delete list',
    },
    not_match = {
      'aws s3 ls', 'aws ec2 describe-instances', 'gcloud projects list', 'az group list',
    },
  },
  {
    id = 'clouds.infrastructure',
    decision = 'ask',
    reason = 'This speaks with a cloud, and may change infrastructure or its recorded state: let a '
      .. 'person approve it.',
    program = 'terraform tofu terragrunt pulumi cdk cdktf serverless sls sam packer nixops',
    subcommand = {
      'apply', 'destroy', 'import', 'refresh', 'taint', 'untaint', 'force-unlock', 'login',
      'run-all', 'state rm', 'state mv', 'state push', 'workspace delete', 'workspace new',
      'workspace select', 'console', 'deploy', 'up', 'update', 'remove', 'cancel', 'publish',
      'rollback', 'bootstrap', 'state replace-provider', 'build', 'delete', 'plan', 'preview',
      'diff', 'output', 'logs', 'show', 'state pull',
    },
    test = function(command)
      if command.subcommand == 'run-all' then
        local verb = command.argv[command.operands[1]]
        return verb ~= 'validate' and verb ~= 'init'
      end
      return command.subcommand ~= 'build' or command.program == 'packer'
    end,
    match = {
      'terraform apply -auto-approve', 'terraform destroy', 'pulumi up', 'cdk deploy',
      'packer build x',
    },
    not_match = { 'terraform validate', 'terraform fmt', 'terraform init', 'sam build' },
  },
  {
    id = 'clouds.state',
    decision = 'ask',
    reason = 'This changes where infrastructure is recorded, or which of it is worked on: let a '
      .. 'person do it.',
    program = 'terraform tofu terragrunt pulumi',
    test = function(command)
      local words = looking.words(command)
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
      return not looking.is_help(command)
    end,
    match = { 'kubectx prod', 'skaffold run', 'kubeadm init' },
    not_match = { 'kubectx', 'talosctl version' },
  },
}
