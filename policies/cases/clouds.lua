-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'clouds: asked about',
    ask = {
      'cloudflared tunnel --url localhost:80', 'rclone copy . r:x', 'aws s3 cp x s3://b/',
      'aws s3 rm s3://b --recursive', 'skopeo copy docker://a docker://b', 'nomad alloc exec x sh',
      'bq rm x', 'etcdctl del --prefix /', "aws s3 rm s3://b --recursive --exclude 'get*'",
      'aws s3 rb s3://b --force', 'aws lambda invoke --function-name x out',
      'gcloud logging read x', 'etcdctl get /a', 'etcdctl --endpoints=http://evil get x',
      'infisical export', 'bq rm -r -f ds', 'terraform apply', 'terraform destroy -auto-approve',
      'terraform state rm x', 'ansible-playbook x.yml', 'ansible all -a "ls"',
      "salt '*' cmd.run 'rm x'", 'ansible-pull -U https://x.example', 'vercel --prod',
      'az group delete -n x', 'heroku run bash',
      'aws ec2 terminate-instances --instance-ids list-x', 'gcloud projects delete list',
      'kubectx prod', 'skaffold run', 'pulumi stack select prod', 'packer build x',
    },
  },
}
