-- Command-line tools of clouds and hosting services. rules/clouds.lua knows which sub-commands
-- change something.
return {
  ['aws aws_completer awslocal'] = {
    values = '--profile --region --output --query --endpoint-url --cli-input-json --filters '
      .. '--ca-bundle --cli-read-timeout --cli-connect-timeout --color --max-items --page-size '
      .. '--starting-token',
    hosts = '--endpoint-url',
  },
  ['gcloud gsutil bq'] = {
    values = '--project --format --filter --zone --region --account -o -h --limit --sort-by '
      .. '--configuration --verbosity --impersonate-service-account --flags-file',
  },
  az = {
    values = '--subscription --resource-group -g --name -n --output -o --query -s --location -l '
      .. '--ids --vault-name',
  },
  ['doctl hcloud linode-cli vultr-cli scw oci ibmcloud aliyun exo flyctl fly heroku vercel netlify '
    .. 'railway render surge firebase supabase cf eb deployctl wasmer s3cmd s4cmd mc b2 '
    .. 'stripe twilio sentry-cli vault consul nomad databricks snow s5cmd tccli neonctl '
    .. 'pscale planetscale turso upstash mongocli confluent auth0 okta eksctl kops argocd argo '
    .. 'flux linkerd cilium velero openstack govc circleci amplify copilot dokku juju jf '
    .. 'jfrog oras regctl restic borg kopia istioctl porter okteto garden jira linear kubectx '
    .. 'kubens '
    .. 'talosctl'] = {
    values = '--token --project --org --team --app -a --profile --region -p -n --namespace -o '
      .. '--output --format --context --address -r --repo --compartment-id --zone -e --env '
      .. '--project-id --cluster -l --selector',
  },
}
