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
  subcommands = subcommands('ps images logs login logout', {
    run = RUN,
    exec = EXEC,
    build = {
      values = '-f --file -t --tag --build-arg --target --platform -o --output --cache-from '
        .. '--cache-to --secret --ssh --network --progress --label --iidfile --build-context',
      reads = { 'operands', '-f --file' },
      writes = '-o --output --iidfile',
    },
    save = { values = '-o --output', writes = '-o --output' },
    load = { values = '-i --input', reads = '-i --input' },
    export = { values = '-o --output', writes = '-o --output' },
    import = { reads = 'first' },
    ['container ls'] = {},
    ['container run'] = RUN, ['container exec'] = EXEC,
    ['image ls'] = {},
    ['compose ps'] = {}, ['compose logs'] = {},
    ['compose exec'] = COMPOSE_EXEC, ['compose run'] = COMPOSE_EXEC,
  }),
}

return {
  ['docker podman nerdctl'] = DOCKER,
  ['docker-compose podman-compose'] = {
    values = '-f --file -p --project-name --env-file --profile --project-directory',
    subcommands = { logs = {}, exec = COMPOSE_EXEC, run = COMPOSE_EXEC },
  },
  ['distrobox toolbox'] = {
    subcommands = { enter = { options_first = true, values = '-n --name -c' } },
  },
  ['kubectl oc kubecolor'] = {
    values = '-n --namespace -f --filename -l --selector -o --output -c --container --context '
      .. '--cluster --kubeconfig --user --token -k --kustomize --tail --since --since-time '
      .. '--field-selector --sort-by -s --server --as --image --replicas --port --type -p --patch '
      .. '--grace-period --timeout --from-literal --from-file --field-manager',
    reads = '-f --filename -k --kustomize',
    text = '--kubeconfig', -- where it looks by itself, too
    hosts = '-s --server',
    subcommands = subcommands('get logs', {
      exec = {
        options_first = true,
        remote = true,
        values = '-n --namespace -c --container -f --filename --context --kubeconfig',
        runs = { { how = 'joined', skip = 1 } },
      },
    }),
  },
  ['helm helmfile'] = {
    text = '--kubeconfig --description',
    values = '-n --namespace -f --values --set --set-file --set-string --version --kubeconfig '
      .. '--kube-context --repo --post-renderer -o --output --timeout',
    reads = '-f --values',
    runs = { { how = 'shell', from = '--post-renderer' } },
    subcommands = subcommands('list ls status get history version install upgrade uninstall '
      .. 'delete rollback test plugin registry login logout'),
  },
  ['terraform tofu terragrunt'] = {
    single_dash_long = true,
    values = '-chdir -out -state',
    cwd = '-chdir',
    writes = '-out -state',
  },
  ['ansible ansible-playbook ansible-pull ansible-galaxy ansible-vault salt salt-call puppet chef '
    .. 'chef-client'] = {
    values = '-a --args',
    remote = true,
    runs = { { how = 'shell', from = '-a --args' } },
  },
  ['ansible-inventory ansible-doc'] = {
    values = '-i --inventory -M --module-path --output --playbook-dir --vault-password-file',
    executes = '-i --inventory -M --module-path --playbook-dir',
    reads = '--vault-password-file',
    writes = '--output',
  },
}
