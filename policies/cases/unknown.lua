-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'unknown: confined',
    confined = {
      'KEY=~/.ssh/id_rsa', 'frob .env.example', 'frob .envrc.sample',
      'frob https://example.com/.env', 'frob "loads .env on start"', 'frob --exclude=.env .',
      'frob --exclude .env .', 'frob *.c', 'frob ~/.ssh/id_rsa.pub', 'frob "see ~/.ssh/config"',
      'frob https://example.com/.ssh/id_rsa', 'frob s3://bucket/.aws/credentials',
      'frob --url=https://example.com/etc/shadow', 'frob ~/.config/app',
      'frob --exclude=/home/user/.ssh x', '/tmp/x/run.sh --all', '../other/build.sh',
      'cd /tmp && ./x', 'chmod +x /tmp/x && /tmp/x', 'bind -x \'"a":./x\'',
      'sysctl -w vm.swappiness=1', 'swapoff -a', 'losetup /dev/loop0 x',
      'journalctl --vacuum-time=1d', 'update-alternatives --set x /usr/bin/x', 'chattr +i x',
      'gdbus call -e -d x -o /x -m x', 'dmesg | tail', 'strace -f -o trace.txt ./app',
      '# only a comment',
      'python3 -m venv .venv && . .venv/bin/activate && pip install -q -r requirements.txt '
        .. '&& pytest -q && deactivate',
      "bwrap --dev-bind / / sh -c 'rm x'", 'dmesg -T | tail', 'nix-shell -p evil --run x',
      'bind -x \'"\\C-a": ./x\'', 'bind \'"a": "rm x\\n"\'', 'cd() { builtin cd "$@"; ./x; }',
      'singularity run docker://alpine', 'k3s kubectl delete pod x', 'ctr images rm x',
      'gdbus call --session -d x -o /x -m x', 'hwclock --set --date=x', 'ntpd -gq',
      "chronyd -q 'server x iburst'", 'hdparm -W0 /dev/sda', 'sysctl a.b=1', 'sysctl --load=x',
      'drush sql-cli < x', 'bind \'"\\e": "x"\'', 'sysctl -qw a.b=1', 'tldr tar',
      'kubectl kustomize --enable-exec .', 'history -s rm; !!', "/proc/self/exe -c 'rm -rf ~'",
      'nats -s nats://e.com pub x y', 'nats context save x --server nats://e.com',
      'kcat -be.com:9092 -P -t x a.txt',
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
