-- Containers, virtual machines, and programs that manage many of them.
local function subcommands(names, more)
  local found = more or {}
  for name in names:gmatch('%S+') do
    found[name] = found[name] or {}
  end
  return found
end

local RUN = {
  options_first = true,
  remote = true,
  values = '-v --volume -e --env --env-file -p --publish --name -w --workdir -u --user --network '
    .. '--net -l --label --mount --entrypoint --platform -m --memory --cpus --cap-add --cap-drop '
    .. '--device --security-opt -h --hostname --add-host --ip --gpus --shm-size --ulimit --pid '
    .. '--ipc --uts --userns --tmpfs --volumes-from --restart --log-driver --log-opt --pull '
    .. '--cidfile -a --attach --group-add --runtime --stop-signal --dns --link --health-cmd '
    .. '--expose --cgroupns',
  writes = '--cidfile',
  runs = { { how = 'joined', skip = 1 } },
}
local EXEC = {
  options_first = true,
  remote = true,
  values = '-e --env --env-file -u --user -w --workdir --detach-keys',
  runs = { { how = 'joined', skip = 1 } },
}
local COMPOSE_EXEC = {
  options_first = true,
  remote = true,
  values = '-e --env -u --user -w --workdir --index --name -v --volume -p --publish --entrypoint '
    .. '-l --label',
  runs = { { how = 'joined', skip = 1 } },
}

local DOCKER = {
  -- -f and what follows: of docker compose, before its own sub-command
  values = '-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey '
    .. '--connection --url --root --runroot -f --file -p --project-name --profile --env-file '
    .. '--project-directory --ansi --progress --parallel',
  hosts = '-H --host',
  subcommands = subcommands('ps images logs inspect version info stats top port history search '
    .. 'diff events wait start stop restart kill rm rmi pull push tag login logout rename update '
    .. 'pause unpause attach create commit build buildx builder context manifest plugin secret '
    .. 'service stack swarm node trust checkpoint scout', {
    run = RUN,
    exec = EXEC,
    build = {
      values = '-f --file -t --tag --build-arg --target --platform -o --output --cache-from '
        .. '--cache-to --secret --ssh --network --progress --label --iidfile --build-context',
      reads = { 'operands', '-f --file' },
      writes = '-o --output --iidfile',
    },
    cp = {}, save = { values = '-o --output', writes = '-o --output' },
    load = { values = '-i --input', reads = '-i --input' },
    export = { values = '-o --output', writes = '-o --output' },
    import = { reads = 'first' },
    ['container ls'] = {}, ['container list'] = {}, ['container inspect'] = {},
    ['container logs'] = {}, ['container rm'] = {}, ['container prune'] = {},
    ['container run'] = RUN, ['container exec'] = EXEC, ['container stop'] = {},
    ['container start'] = {}, ['container kill'] = {},
    ['image ls'] = {}, ['image list'] = {}, ['image inspect'] = {}, ['image rm'] = {},
    ['image prune'] = {}, ['image build'] = {}, ['image pull'] = {}, ['image push'] = {},
    ['volume ls'] = {}, ['volume list'] = {}, ['volume inspect'] = {}, ['volume rm'] = {},
    ['volume prune'] = {}, ['volume create'] = {},
    ['network ls'] = {}, ['network list'] = {}, ['network inspect'] = {}, ['network rm'] = {},
    ['network prune'] = {}, ['network create'] = {},
    ['system df'] = {}, ['system info'] = {}, ['system prune'] = {}, ['system events'] = {},
    ['builder prune'] = {}, ['buildx build'] = {}, ['buildx ls'] = {}, ['buildx prune'] = {},
    ['context ls'] = {}, ['context use'] = {},
    ['compose up'] = {}, ['compose down'] = {}, ['compose ps'] = {}, ['compose logs'] = {},
    ['compose build'] = {}, ['compose config'] = {}, ['compose images'] = {}, ['compose top'] = {},
    ['compose pull'] = {}, ['compose push'] = {}, ['compose start'] = {}, ['compose stop'] = {},
    ['compose restart'] = {}, ['compose rm'] = {}, ['compose kill'] = {}, ['compose ls'] = {},
    ['compose create'] = {}, ['compose port'] = {}, ['compose version'] = {},
    ['compose exec'] = COMPOSE_EXEC, ['compose run'] = COMPOSE_EXEC,
  }),
}

return {
  ['docker podman nerdctl'] = DOCKER,
  ['docker-compose podman-compose'] = {
    values = '-f --file -p --project-name --env-file --profile --project-directory',
    subcommands = subcommands('up down ps logs build config images top pull push start stop '
      .. 'restart rm kill ls create port version', { exec = COMPOSE_EXEC, run = COMPOSE_EXEC }),
  },
  ['buildah skopeo crane kustomize dive kaniko cosign'] = {
    values = '-o --output -f --format',
  },
  ['ctr crictl runc crun lxc-attach machinectl incus lxc multipass vagrant limactl colima minikube '
    .. 'kind k3d k3s virsh virt-install qemu-system-* VBoxManage orb'] = {},
  ['distrobox toolbox'] = {
    subcommands = subcommands('list create rm enter run', {
      enter = { options_first = true, values = '-n --name -c' },
    }),
  },
  ['kubectl oc kubecolor'] = {
    values = '-n --namespace -f --filename -l --selector -o --output -c --container --context '
      .. '--cluster --kubeconfig --user --token -k --kustomize --tail --since --since-time '
      .. '--field-selector --sort-by -s --server --as --image --replicas --port --type -p --patch '
      .. '--grace-period --timeout --from-literal --from-file --field-manager',
    reads = '-f --filename -k --kustomize',
    text = '--kubeconfig', -- where it looks by itself, too
    hosts = '-s --server',
    subcommands = subcommands('get describe logs explain top version cluster-info api-resources '
      .. 'api-versions config diff wait events kustomize completion options plugin auth apply '
      .. 'create delete edit patch replace scale autoscale expose label annotate taint drain '
      .. 'cordon uncordon set run cp port-forward proxy attach certificate debug rollout', {
      exec = {
        options_first = true,
        remote = true,
        values = '-n --namespace -c --container -f --filename --context --kubeconfig',
        runs = { { how = 'joined', skip = 1 } },
      },
      ['rollout status'] = {}, ['rollout history'] = {}, ['rollout restart'] = {},
      ['rollout undo'] = {}, ['rollout pause'] = {}, ['rollout resume'] = {},
      ['config view'] = {}, ['config get-contexts'] = {},
      ['config get-clusters'] = {}, ['config get-users'] = {}, ['config current-context'] = {},
      ['config use-context'] = {}, ['config set-context'] = {}, ['config set-credentials'] = {},
      ['config delete-context'] = {},
      ['auth can-i'] = {}, ['auth whoami'] = {},
    }),
  },
  ['helm helmfile'] = {
    text = '--kubeconfig --description',
    values = '-n --namespace -f --values --set --set-file --set-string --version --kubeconfig '
      .. '--kube-context --repo --post-renderer -o --output --timeout',
    reads = '-f --values',
    runs = { { how = 'shell', from = '--post-renderer' } },
    subcommands = subcommands('list ls status get show history template lint search env version '
      .. 'dependency repo pull verify diff install upgrade uninstall delete rollback test push '
      .. 'package create plugin registry apply sync destroy'),
  },
  ['terraform tofu terragrunt'] = {
    single_dash_long = true,
    values = '-chdir -var -var-file -target -out -state -backend-config -lock-timeout',
    cwd = '-chdir',
    writes = '-out -state',
    subcommands = subcommands('init plan validate fmt show output graph providers version console '
      .. 'get apply destroy import refresh taint untaint state workspace force-unlock login test '
      .. 'run-all', {
      ['state list'] = {}, ['state show'] = {}, ['state pull'] = {}, ['state rm'] = {},
      ['state mv'] = {}, ['state push'] = {}, ['state replace-provider'] = {}, ['workspace '
        .. 'list'] = {}, ['workspace show'] = {},
      ['workspace select'] = {}, ['workspace new'] = {}, ['workspace delete'] = {},
    }),
  },
  ['pulumi cdk cdktf serverless sls sam'] = {
    values = '-s --stack -C --cwd --profile --stage -c --context',
    subcommands = subcommands('preview diff synth list ls stack config logs init deploy up update '
      .. 'destroy remove refresh import cancel build validate package publish rollback '
      .. 'bootstrap delete'),
  },
  ['ansible ansible-playbook ansible-pull ansible-galaxy ansible-vault salt salt-call puppet chef '
    .. 'chef-client'] = {
    values = '-i --inventory -m --module-name -a --args -e --extra-vars -l --limit -t --tags -u '
      .. '--user --vault-password-file --private-key --key-file -M --module-path -o -p '
      .. '--roles-path',
    remote = true,
    runs = { { how = 'shell', from = '-a --args' } },
  },
  ['ansible-inventory ansible-doc'] = {
    values = '-i --inventory -M --module-path --output -t --type -e --extra-vars --playbook-dir '
      .. '--vault-password-file --vault-id -l --limit -r --roles-path',
    executes = '-i --inventory -M --module-path --playbook-dir',
    reads = '--vault-password-file',
    writes = '--output',
  },
  nixops = {
    subcommands = subcommands('create deploy destroy delete rollback info list check'),
  },
  packer = { subcommands = subcommands('build validate fmt inspect init') },
}
