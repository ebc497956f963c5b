-- What costs money or is shared: clouds, infrastructure as code, configuration of many machines.
local looking = require 'looking'
local set = require('word_set').of

local CLOUDS = [[aws awslocal gcloud gsutil bq az doctl hcloud linode-cli vultr-cli scw oci ibmcloud
  aliyun tccli exo flyctl fly heroku vercel netlify railway render surge firebase supabase cf eb
  deployctl s3cmd s4cmd s5cmd mc b2 stripe twilio sentry-cli vault consul nomad etcdctl databricks
  snow wrangler rclone neonctl pscale planetscale turso upstash mongocli atlas confluent auth0 okta
  eksctl kops argocd argo flux linkerd cilium velero openstack govc circleci sst amplify copilot
  dokku juju doppler infisical op bw chamber jf jfrog oras regctl crane skopeo restic borg kopia
  istioctl tailscale cloudflared porter okteto garden kubectx kubens k9s kubie ktx skaffold tilt
  devspace kubeadm talosctl clusterctl rke esxcli pvesh vmrun prlctl xe maas vcsim chalice zappa up
  architect werf jira linear trello buildkite-agent slack-cli caprover coolify render-cli]]

-- What works on the files of the workspace alone.
local HERE = {
  terraform = set [[fmt validate init version providers graph get metadata state.list state.show
    workspace.list workspace.show]],
  pulumi = set [[version about plugin schema package convert new install stack.ls stack.get
    stack.output stack.history stack.graph config.get]],
  cdk = set 'synth synthesize list ls init version doctor context notices acknowledge',
  serverless = set 'package print create version',
  sam = set 'build validate init local version',
  packer = set 'validate fmt inspect init version',
}
local AS = {
  tofu = 'terraform', terragrunt = 'terraform', cdktf = 'cdk', sls = 'serverless',
}
-- terraform init with one of these changes where the state is.
local MOVES = { '^%-%-?migrate%-state', '^%-%-?reconfig', '^%-%-?force%-copy', '^%-%-?upgrade' }

local function works_here(command)
  local words, known = looking.words(command), HERE[AS[command.program] or command.program]
  for at = 2, #command.argv do
    for _, pattern in ipairs(words[1] == 'init' and MOVES or {}) do
      if command.argv[at]:find(pattern) then
        return false
      end
    end
  end
  if words[1] == 'run-all' then
    table.remove(words, 1)
  end
  return known ~= nil and (known[words[1] or 'version']
    or known[(words[1] or '') .. '.' .. (words[2] or '')]) == true
end

return {
  {
    id = 'clouds.change',
    decision = 'ask',
    reason = 'This may change or bill something in the cloud, or choose what later commands work '
      .. 'on: look with list, get and describe, and let a person approve the rest.',
    program = CLOUDS,
    test = function(command)
      return not (looking.at_cloud(command) or looking.is_help(command))
    end,
    match = { 'aws s3 rm s3://bucket --recursive', 'gcloud compute instances delete vm' },
    not_match = {
      'aws s3 ls', 'aws ec2 describe-instances', 'gcloud projects list', 'az group list', 'kubectx',
    },
  },
  {
    id = 'clouds.infrastructure',
    decision = 'ask',
    reason = 'This speaks with a cloud, and may change infrastructure or where it is recorded: let '
      .. 'a person approve it.',
    program = 'terraform tofu terragrunt pulumi cdk cdktf serverless sls sam packer nixops',
    test = function(command)
      return not (works_here(command) or looking.is_help(command))
    end,
    match = { 'terraform apply -auto-approve', 'terraform init -migrate-state', 'cdk deploy' },
    not_match = {
      'terraform validate', 'terraform fmt', 'terraform init', 'pulumi stack ls', 'sam build',
    },
  },
  {
    id = 'clouds.many_machines',
    decision = 'ask',
    reason = 'This changes other machines, perhaps many: use --check, and let a person approve '
      .. 'the rest.',
    program = 'ansible ansible-playbook ansible-pull ansible-console salt salt-call puppet chef '
      .. 'chef-client pdsh pssh clush parallel-ssh fab cap kamal knife chef-solo chef-run bolt '
      .. 'mina dsh sshpt',
    without_flags = '--syntax-check --list-hosts --list-tasks --version --help --check -C',
    match = { 'ansible-playbook site.yml', 'ansible all -m ping' },
    not_match = { 'ansible-playbook --syntax-check site.yml', 'ansible-lint' },
  },
}
