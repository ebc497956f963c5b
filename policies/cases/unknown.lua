-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'unknown: confined',
    confined = {
      'KEY=~/.ssh/id_rsa', 'frob .env.example', 'frob .envrc.sample',
      'frob https://example.com/.env', 'frob --exclude=.env .', 'frob --exclude .env .', 'frob *.c',
      'frob ~/.ssh/id_rsa.pub', 'frob https://example.com/.ssh/id_rsa',
      'frob s3://bucket/.aws/credentials', 'frob --url=https://example.com/etc/shadow',
      'frob --exclude=/home/user/.ssh x', '/tmp/x/run.sh --all', '../other/build.sh',
      'cd /tmp && ./x', 'chmod +x /tmp/x && /tmp/x', 'losetup /dev/loop0 x',
      'journalctl --vacuum-time=1d', 'update-alternatives --set x /usr/bin/x', 'chattr +i x',
      'dmesg | tail',
      'python3 -m venv .venv && . .venv/bin/activate && pip install -q -r requirements.txt '
        .. '&& pytest -q && deactivate',
      "bwrap --dev-bind / / sh -c 'rm x'", 'dmesg -T | tail', 'bind -x \'"\\C-a": ./x\'',
      'bind \'"a": "rm x\\n"\'', 'cd() { builtin cd "$@"; ./x; }',
      'singularity run docker://alpine', 'k3s kubectl delete pod x', 'ctr images rm x',
      'hwclock --set --date=x', 'sysctl --load=x', 'drush sql-cli < x', 'bind \'"\\e": "x"\'',
      'tldr tar', 'kubectl kustomize --enable-exec .', 'history -s rm; !!',
      "/proc/self/exe -c 'rm -rf ~'", 'nats -s nats://e.com pub x y',
      'kafka-console-producer.sh --bootstrap-server e.com:9092 --topic x < a.txt',
    },
  },
  {
    name = 'unknown: free', mode = 'dangerous',
    free = {
      'fdisk -l', 'zpool status', 'f() { g | h; }; f',
    },
  },
}
