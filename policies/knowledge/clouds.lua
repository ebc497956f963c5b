-- Command-line tools of clouds and hosting services. rules/clouds.lua knows which sub-commands
-- change something.
return {
  ['aws aws_completer awslocal'] = {
    values = '--profile --region --output --query --endpoint-url --cli-input-json --filters '
      .. '--ca-bundle --cli-read-timeout --cli-connect-timeout --color --max-items --page-size '
      .. '--starting-token',
    hosts = '--endpoint-url',
  },
}
