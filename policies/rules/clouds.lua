-- What costs money or is shared: clouds, infrastructure as code, configuration of many machines.
local LOOKING = {
  'describe*', 'list*', 'get*', 'ls', 'show', 'help', '--help', '-h', 'version', '--version', '-v',
  'logs', 'logs:*', 'status', 'tail*', 'whoami', 'info', 'search', 'filter-log-events', 'head-*',
  'wait', 'history', 'ps', 'validate*', 'diff', 'inspect', 'doctor', 'lookup-events',
}

return {
  {
    id = 'clouds.change',
    decision = 'ask',
    reason = 'This may change or bill something in the cloud: look with list, get and describe, '
      .. 'and let a person approve the rest.',
    program = 'aws gcloud gsutil bq az doctl hcloud linode-cli vultr-cli scw oci ibmcloud aliyun '
      .. 'exo flyctl fly heroku vercel netlify railway render surge firebase supabase cf eb '
      .. 'deployctl s3cmd s4cmd mc b2 stripe twilio sentry-cli vault consul nomad etcdctl '
      .. 'databricks snow wrangler rclone',
    not_argument = LOOKING,
    match = {
      'aws s3 rm s3://bucket --recursive', 'gcloud compute instances delete vm', 'vercel --prod',
      'az group delete -n x', 'aws s3 cp dump.sql s3://bucket/', 'heroku run bash',
    },
    not_match = {
      'aws s3 ls', 'aws ec2 describe-instances', 'gcloud projects list', 'az account show',
    },
  },
  {
    id = 'clouds.infrastructure',
    decision = 'ask',
    reason = 'This changes infrastructure or its recorded state: use plan or preview, and let a '
      .. 'person apply it.',
    program = 'terraform tofu terragrunt pulumi cdk cdktf serverless sls sam',
    subcommand = {
      'apply', 'destroy', 'import', 'refresh', 'taint', 'untaint', 'force-unlock', 'login',
      'run-all', 'state rm', 'state mv', 'state push', 'workspace delete', 'workspace new',
      'workspace select', 'console', 'deploy', 'up', 'update', 'remove', 'cancel', 'publish',
      'rollback', 'bootstrap',
    },
    match = { 'terraform apply -auto-approve', 'terraform destroy', 'pulumi up', 'cdk deploy' },
    not_match = { 'terraform plan', 'terraform validate', 'pulumi preview', 'terraform init' },
  },
  {
    id = 'clouds.many_machines',
    decision = 'ask',
    reason = 'This changes other machines, perhaps many: use --check, and let a person approve '
      .. 'the rest.',
    program = 'ansible ansible-playbook ansible-pull salt salt-call puppet chef chef-client pdsh '
      .. 'pssh clush parallel-ssh fab cap kamal',
    without_flags = '--syntax-check --list-hosts --list-tasks --version --help --check -C',
    match = { 'ansible-playbook site.yml', 'ansible all -m ping' },
    not_match = { 'ansible-playbook --syntax-check site.yml', 'ansible-lint' },
  },
  {
    id = 'clouds.remove',
    decision = 'ask',
    reason = 'This removes what others use, in a cluster or a cloud: let a person approve it.',
    program = 'k argocd flux istioctl openstack qm pct govc',
    argument = { 'delete', 'destroy', 'uninstall', 'rm', 'remove' },
    match = { 'k delete pod x', 'argocd app delete x', 'qm destroy 100' },
    not_match = { 'argocd app list', 'flux get all' },
  },
}
