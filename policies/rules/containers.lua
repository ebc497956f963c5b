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
      'config set-context', 'config set-credentials', 'config delete-context', 'config', 'auth',
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
  {
    id = 'containers.engine_socket',
    decision = 'ask',
    reason = 'Whoever speaks to this socket commands the engine behind it: use the command that is '
      .. 'made for it.',
    argument = {
      '--abstract-unix-socket*',
      're:(?:-[a-zA-Z]+|--[a-z-]+=)?(?:[a-zA-Z-]*:(?://)?)?/(?:var/)?run/[\\w./-]*(?:\\.sock|'
        .. '\\.socket|socket)(?:[,:/].*)?',
      're:.*(?:docker|containerd|podman|buildkitd|crio|dockershim|incus|lxd|libvirt|'
        .. 'snapd)[\\w.-]*\\.sock\\b.*',
    },
    test = function(command)
      local looks = { ls = true, stat = true, test = true, ['['] = true, echo = true, file = true,
        grep = true, rg = true, ['export'] = true, printf = true, readlink = true, git = true }
      return not looks[command.program]
    end,
    match = {
      'nc -U /var/run/docker.sock', 'wget --unix-socket=/run/podman/podman.sock http://x',
      'buildctl --addr unix:///run/buildkit/buildkitd.sock build',
    },
    not_match = { 'ls -l /var/run/docker.sock', 'test -S /var/run/docker.sock', 'curl localhost' },
  },
  {
    id = 'containers.front_ends',
    decision = 'ask',
    reason = 'This reaches into containers, namespaces or sessions of others, or starts such: '
      .. 'let a '
      .. 'person approve it.',
    program = {
      'podman', 'buildah', 'lxc-*', 'flatpak-spawn', 'host-spawn', 'distrobox-*', 'oc',
      'rootlesskit',
      'slirp4netns', 'dtach', 'abduco', 'shpool', 'wezterm', 'kitty', 'kitten', 'varlinkctl',
      'firejail',
      'zellij', 'multipass', 'systemd-vmspawn', 'kata-runtime', 'kata-ctl',
      'firectl',
      'firecracker', 'cloud-hypervisor', 'crosvm', 'ignite', 'lima', 'orb', 'orbctl', 'wsl',
      'wsl.exe',
      'youki', 'runsc', 'nsjail', 'minijail0', 'proot', 'schroot', 'pbuilder', 'mock', 'fakechroot',
      'debootstrap', 'arch-chroot', 'systemd-dissect', 'portablectl', 'toolbox', 'buildctl',
      'dagger',
    },
    test = function(command)
      local program = command.program
      local words = { command.subcommand }
      for _, index in ipairs(command.operands) do
        words[#words + 1] = command.argv[index]
      end
      local line = ' ' .. table.concat(command.argv, ' ') .. ' '
      local first = words[1] ~= '' and words[1] or words[2] or ''
      if program == 'podman' then
        return line:find(' %-%-remote') ~= nil or first == 'unshare'
          or first == 'machine' and words[3] ~= 'list' and words[3] ~= 'ls' or first == 'generate'
          or first == 'system' and words[3] == 'service' or line:find(' system service', 1,
          true) ~= nil
          or first == 'play' or first == 'kube' or first == 'pod'
      elseif program == 'buildah' then
        return first ~= 'images' and first ~= 'containers' and first ~= 'bud' and first ~= 'build'
          and first ~= 'inspect' and first ~= 'version' and first ~= 'info'
      elseif program == 'oc' then
        return first == 'rsh' or first == 'debug' or line:find(' rsh ', 1, true) ~= nil
      elseif program == 'zellij' then
        return first == 'run' or first == 'action' or first == 'kill-session'
      elseif program == 'wezterm' then
        return first == 'cli' and words[3] ~= 'list' and words[2] ~= 'list'
      elseif program == 'kitty' or program == 'kitten' then
        return first == '@' and line:find(' @ ls ', 1, true) == nil
      end
      if program == 'flatpak-spawn' or program == 'host-spawn' then
        return true
      end
      local shows = { list = true, ls = true, version = true, ['--version'] = true, info = true,
        ['--help'] = true, status = true, introspect = true, ['list-interfaces'] = true }
      return not shows[first] and not shows[command.argv[2] or '']
    end,
    match = {
      'podman unshare rm -rf x', 'buildah run x y', 'flatpak-spawn --host ls', 'lxc-start -n x',
      'podman --remote ps',
    },
    not_match = { 'podman ps', 'buildah images', 'podman machine list' },
  },
  {
    id = 'containers.open_build',
    decision = 'ask',
    reason = 'This build may reach the network of the machine, more rights, or files outside of '
      .. 'the workspace: leave out the option.',
    program = 'docker podman buildah nerdctl',
    argument = {
      '--allow*', '--network=host', '--net=host', 'host', 're:.*dest=(?:/|~|\\$HOME|\\.\\.).*',
      '--security-opt*', '--add-host*',
    },
    test = function(command)
      for at = 2, math.min(#command.argv, 4) do
        local word = command.argv[at]
        if word == 'build' or word == 'bake' or word == 'bud' then
          return true
        end
      end
      return false
    end,
    match = {
      'docker build --network host .', 'docker build --allow security.insecure .',
      'docker build --output type=local,dest=../x .',
    },
    not_match = { 'docker build -t app .', 'docker build -o type=local,dest=out .' },
  },
}
