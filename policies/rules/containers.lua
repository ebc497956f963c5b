-- Containers and clusters. What matters most is what a container can see of this machine.
local looking = require 'looking'

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
    match = { 'docker run --privileged alpine', 'docker run --pid=host alpine ps' },
    not_match = { 'docker ps', 'docker run --rm alpine true', 'docker build .' },
  },
  {
    id = 'containers.mounts',
    decision = 'deny',
    reason = 'Programs in that container could change this machine: mount a directory of the '
      .. 'workspace.',
    program = 'docker podman nerdctl docker-compose podman-compose',
    argument = MOUNTS,
    match = { 'docker run -v /:/host alpine chroot /host', 'docker run -v /etc:/e alpine' },
    not_match = { 'docker run -v "$PWD":/app node:20 npm test', 'docker run -v ./src:/src x' },
  },
  {
    id = 'containers.engine',
    decision = 'ask',
    reason = 'An engine starts programs outside of the sandbox, and others may use what it has: '
      .. 'ps, images and logs are free, and a person approves the rest.',
    program = {
      'docker', 'podman', 'nerdctl', 'docker-compose', 'podman-compose', 'buildah', 'buildctl',
      'ctr', 'crictl', 'runc', 'crun', 'lxc', 'lxc-*', 'incus', 'machinectl', 'multipass',
      'limactl',
      'colima', 'minikube', 'kind', 'k3d', 'virsh', 'virt-install', 'VBoxManage', 'vagrant',
      'distrobox', 'distrobox-*', 'toolbox', 'flatpak-spawn', 'host-spawn', 'wsl', 'wsl.exe',
      'dagger', 'firejail', 'varlinkctl',
    },
    test = function(command)
      return not (looking.at_engine(command) or looking.is_help(command))
    end,
    match = { 'docker run --rm alpine true', 'docker exec web ls', 'docker compose up -d' },
    not_match = { 'docker ps -a', 'docker compose logs', 'docker container ls', 'podman --help' },
  },
  {
    id = 'containers.cluster',
    decision = 'ask',
    reason = 'This speaks with a cluster, which others use: get, describe and logs are free, and a '
      .. 'person approves the rest.',
    program = 'kubectl oc kubecolor helmfile',
    test = function(command)
      return not (looking.at_cluster(command) and command.program == 'kubectl'
        or looking.is_help(command) or looking.words(command)[1] == 'kustomize')
    end,
    match = { 'kubectl apply -f k8s/', 'kubectl delete pod x', 'kubectl exec -it x -- sh' },
    not_match = { 'kubectl get pods', 'kubectl logs x' },
  },
  {
    id = 'containers.releases',
    decision = 'ask',
    reason = 'This changes what runs in a cluster: look with template, diff and list, and let a '
      .. 'person approve the rest.',
    program = 'helm',
    subcommand = 'install upgrade uninstall delete rollback test plugin get',
    match = { 'helm upgrade --install x ./chart', 'helm uninstall x' },
    not_match = { 'helm template ./chart', 'helm lint', 'helm list' },
  },
}
