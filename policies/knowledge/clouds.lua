-- Command-line tools of clouds and hosting services. rules/clouds.lua knows which sub-commands
-- change something.
return {
  ['aws aws_completer awslocal'] = {
    values = '--profile --region --output --query --endpoint-url --cli-input-json --filters',
    hosts = '--endpoint-url',
  },
  ['gcloud gsutil bq'] = { values = '--project --format --filter --zone --region --account -o -h' },
  az = { values = '--subscription --resource-group -g --name -n --output -o --query' },
  ['doctl hcloud linode-cli vultr-cli scw oci ibmcloud aliyun exo flyctl fly heroku vercel netlify '
    .. 'railway render surge firebase supabase cf eb deployctl wasmer s3cmd s4cmd mc b2 '
    .. 'stripe twilio sentry-cli vault consul nomad etcdctl databricks snow'] = {
    values = '--token --project --org --team --app -a --profile --region -p',
  },
}
