-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'clouds: asked about',
    ask = {
      'cloudflared tunnel --url localhost:80', 'rclone copy . r:x', 'aws s3 cp x s3://b/',
      'aws s3 rm s3://b --recursive', 'az vm delete -n x', 'skopeo copy docker://a docker://b',
      'nomad alloc exec x sh', "bq query 'delete from x'", 'bq rm x', 'etcdctl del --prefix /',
      'consul kv delete -recurse x', "aws s3 rm s3://b --recursive --exclude 'get*'",
      'aws s3 rb s3://b --force', 'aws lambda invoke --function-name x out',
      'az vm delete -n x --yes', 'gcloud logging read x', 'etcdctl get /a',
      'nomad -address=http://evil status', 'etcdctl --endpoints=http://evil get x',
      'infisical export', 'gsutil -m rm -r gs://b', 'bq rm -r -f ds', 'terraform apply',
      'terraform destroy -auto-approve', 'terraform state rm x', 'pulumi up -y',
      'terraform plan -out=plan.bin', 'AWS_DEFAULT_REGION=eu-west-1 terraform plan',
      'ansible-playbook x.yml', 'ansible all -a "ls"', 'ansible all -m file -a state=absent',
      "salt '*' cmd.run 'rm x'", 'ansible-pull -U https://x.example',
    },
  },
  {
    name = 'clouds: free', mode = 'dangerous',
    free = {
      'vault status', 'aws sts get-caller-identity',
    },
  },
}
