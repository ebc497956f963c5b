-- Containers and clusters. What matters most is what a container can see of this machine.
local MOUNTS = {
  -- -v SOURCE:TARGET, --mount source=SOURCE: the root, system directories, homes
  're:(?:-v|--volume=)?/(?:etc|root|usr|var|boot|bin|sbin|lib|lib64|home|Users|proc|sys|dev|'
    .. 'run)?/?(?::.*)',
  're:(?:-v|--volume=)?/(?:etc|root|boot|proc|sys|dev)(?:/[^:]*)?:.*',
  're:(?:-v|--volume=)?/home/[^/:]+/?:.*',
  're:(?:-v|--volume=)?(?:~|\\$HOME|\\$\\{HOME\\})/?:.*',
  're:(?:-v|--volume=)?(?:~|\\$HOME|/home/[^/:]+|/root)/\\.(?:ssh|aws|gnupg|kube|config|docker|'
    .. 'netrc)\\b.*:.*',
  're:.*(?:docker|containerd|podman|crio)\\.sock.*',
  're:(?:--mount=)?.*(?:source|src)=/(?:etc|root|usr|var|boot|home|proc|sys|dev|run)?/?(?:,.*)?',
}

return {
  {
    id = 'containers.privileged',
    decision = 'deny',
    reason = 'Such a container is root on this machine: run it without --privileged and without '
      .. 'the machine\'s own namespaces, devices and capabilities.',
    program = 'docker podman nerdctl',
    argument = {
      '--privileged', '--privileged=true', '--pid', '--userns', '--uts', '--ipc', '--pid=host',
      '--userns=host', '--ipc=host', '--uts=host', '--cap-add=ALL', '--cap-add=SYS_ADMIN',
      '--cap-add=SYS_PTRACE', '--cap-add=SYS_MODULE', 'ALL', 'SYS_ADMIN', 'SYS_MODULE',
      'SYS_PTRACE', '--security-opt=*unconfined', '*=unconfined', 'label=disable',
      '--device=/dev/sd*', '--device=/dev/nvme*', '--device=/dev/mem',
    },
    match = {
      'docker run --privileged alpine', 'docker run --pid=host alpine ps',
      'docker run --cap-add SYS_ADMIN x', 'docker exec --privileged c sh',
    },
    not_match = { 'docker ps', 'docker run --rm alpine true', 'docker build .' },
  },
  {
    id = 'containers.mounts',
    decision = 'deny',
    reason = 'Programs in that container could change this machine: mount a directory of the '
      .. 'workspace.',
    program = 'docker podman nerdctl docker-compose podman-compose',
    argument = MOUNTS,
    match = {
      'docker run -v /:/host alpine chroot /host', 'docker run -v /etc:/e alpine',
      'docker run -v /var/run/docker.sock:/var/run/docker.sock x', 'docker run -v ~/.ssh:/s alpine',
      'docker run --mount type=bind,source=/,target=/host alpine',
    },
    not_match = { 'docker run -v "$PWD":/app node:20 npm test', 'docker run -v ./src:/src x' },
  },
  {
    id = 'containers.change',
    decision = 'ask',
    reason = 'This starts, stops or removes containers, which others may use: build, list and '
      .. 'read logs freely, and let a person approve the rest.',
    program = 'docker podman nerdctl',
    subcommand = {
      'run', 'exec', 'start', 'stop', 'restart', 'kill', 'rm', 'rmi', 'rename', 'update', 'pause',
      'unpause', 'attach', 'create', 'commit', 'cp', 'load', 'import', 'container *', 'image rm',
      'image prune', 'volume rm', 'volume prune', 'volume create', 'network rm', 'network prune',
      'network create', 'system prune', 'builder prune', 'buildx prune', 'compose up',
      'compose down', 'compose start', 'compose stop', 'compose restart', 'compose rm',
      'compose kill', 'compose create', 'compose exec', 'compose run', 'service', 'stack', 'swarm',
      'node', 'secret', 'plugin', 'context use', 'checkpoint', 'trust',
    },
    test = function(command)
      local harmless = { 'ls', 'list', 'inspect', 'logs', 'top', 'stats', 'port', 'diff' }
      for _, word in ipairs(harmless) do
        if command.subcommand == 'container ' .. word then
          return false
        end
      end
      return true
    end,
    match = {
      'docker run --rm alpine true', 'docker exec web ls', 'docker compose up -d',
      'docker system prune -af', 'docker rm -f web',
    },
    not_match = {
      'docker ps -a', 'docker build -t x .', 'docker compose logs', 'docker container ls',
    },
  },
  {
    id = 'containers.compose',
    decision = 'ask',
    reason = 'This starts, stops or removes containers, which others may use: read logs and '
      .. 'configuration freely, and let a person approve the rest.',
    program = 'docker-compose podman-compose',
    subcommand = 'up down start stop restart rm kill create exec run',
    match = { 'docker-compose up -d', 'docker-compose down -v' },
    not_match = { 'docker-compose ps', 'docker-compose logs web', 'docker-compose build' },
  },
  {
    id = 'containers.other_host',
    decision = 'ask',
    reason = 'This speaks to the containers of another machine: leave out -H and --context.',
    program = 'docker podman nerdctl',
    flags = '-H --host -c --context --url --connection',
    test = function(command)
      -- -c and -h of docker run mean something else
      local first = command.argv[2] or ''
      return first:match('^%-') ~= nil
    end,
    match = { 'docker -H tcp://10.0.0.1:2375 ps', 'docker --context prod ps' },
    not_match = { 'docker ps' },
  },
  {
    id = 'containers.machines',
    decision = 'ask',
    reason = 'This reaches into containers or virtual machines, or changes them: let a person '
      .. 'approve it.',
    program = {
      'ctr', 'crictl', 'runc', 'crun', 'lxc-attach', 'machinectl', 'incus', 'lxc', 'multipass',
      'vagrant', 'limactl', 'colima', 'minikube', 'kind', 'k3d', 'virsh', 'virt-install',
      'VBoxManage', 'qemu-system-*', 'distrobox', 'toolbox',
    },
    not_argument = {
      'ps', 'ls', 'list', 'status', 'info', 'version', 'images', 'logs', 'inspect', '--version',
      '--help', 'get',
    },
    match = { 'kind create cluster', 'vagrant up', 'virsh destroy vm', 'lxc exec c -- sh' },
    not_match = { 'minikube status', 'kind get clusters', 'virsh list' },
  },
  {
    id = 'containers.cluster',
    decision = 'ask',
    reason = 'This changes a cluster, or runs something in it: look with get, describe, logs and '
      .. 'diff, and let a person approve the rest.',
    program = 'kubectl oc kubecolor',
    subcommand = {
      'apply', 'create', 'delete', 'edit', 'patch', 'replace', 'scale', 'autoscale', 'expose',
      'label', 'annotate', 'taint', 'drain', 'cordon', 'uncordon', 'set', 'run', 'cp',
      'port-forward', 'proxy', 'attach', 'certificate', 'debug', 'exec', 'rollout',
      'rollout restart', 'rollout undo', 'rollout pause', 'rollout resume', 'config use-context',
      'config set-context', 'config set-credentials', 'config delete-context',
    },
    match = { 'kubectl apply -f k8s/', 'kubectl delete pod x', 'kubectl exec -it x -- sh' },
    not_match = { 'kubectl get pods', 'kubectl logs x', 'kubectl rollout status deploy/x' },
  },
  {
    id = 'containers.releases',
    decision = 'ask',
    reason = 'This changes what runs in a cluster: look with template, diff and list, and let a '
      .. 'person approve the rest.',
    program = 'helm helmfile',
    subcommand = 'install upgrade uninstall delete rollback test apply sync destroy plugin',
    match = { 'helm upgrade --install x ./chart', 'helm uninstall x' },
    not_match = { 'helm template ./chart', 'helm lint', 'helm list' },
  },
}
