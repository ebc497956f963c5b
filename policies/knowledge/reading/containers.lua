-- Containers and clusters: what is shown of those that the tools are set up for. A host, a context
-- file or a server that the line names is not known to read, nor a plugin, nor credentials.
local FORMATS = ' --format -f --filter'

local PS = {
  flags = '-a --all -l --latest --no-trunc -q --quiet -s --size --services --orphans --no-orphans',
  values = '-n --last --status' .. FORMATS,
}
local IMAGES = {
  flags = '-a --all --digests --no-trunc -q --quiet --tree', values = FORMATS,
}
local LOGS = {
  flags = '-f --follow -t --timestamps --details --no-color --no-log-prefix',
  values = '-n --tail --since --until --index',
}
local INSPECT = { flags = '-s --size -v --verbose', values = '-f --format --type' }
local STATS = { flags = '-a --all --no-stream --no-trunc', values = '--format' }
local LIST = { flags = '-q --quiet --no-trunc -a --all', values = FORMATS }
local SHOWN = { flags = '-q --quiet --services --volumes --images --hash --profiles '
  .. '--no-interpolate --no-normalize --no-path-resolution --no-consistency '
  .. '--resolve-image-digests --environment --networks --models', values = '--format' }

local COMPOSE = {
  ['ps'] = PS, logs = LOGS, config = SHOWN, convert = SHOWN,
  images = { flags = '-q --quiet', values = '--format' },
  ls = { flags = '-a --all -q --quiet', values = '--format --filter' },
  top = {}, port = { values = '--protocol --index' },
  version = { flags = '--short', values = '-f --format' },
}

local DOCKER = {
  ps = PS, ['container ls, container list, container ps'] = PS, logs = LOGS,
  ['container logs'] = LOGS, images = IMAGES, ['image ls, image list'] = IMAGES,
  ['inspect, container inspect, image inspect, volume inspect, network inspect'] = INSPECT,
  ['version, info, system info'] = { values = '-f --format' },
  ['stats, container stats'] = STATS,
  -- The words behind the container are options of ps on the host.
  ['top, container top'] = { operands = 1 },
  ['port, container port'] = {}, ['diff, container diff'] = {},
  ['history, image history'] = {
    flags = '-H --human --no-trunc -q --quiet', values = '--format --platform',
  },
  ['volume ls, volume list, network ls, network list'] = LIST,
  ['system df'] = { flags = '-v --verbose', values = '--format' },
  search = { flags = '--no-trunc', values = '--limit -f --filter --format' },
  ['context ls, context show, buildx ls'] = { flags = '-q --quiet', values = '--format' },
  -- Its files are those of the project.
  compose = {
    operands = 0,
    flags = '--all-resources --compatibility',
    values = '-f --file -p --project-name --profile --project-directory --ansi --env-file',
  },
}
for name, spec in pairs(COMPOSE) do
  DOCKER['compose ' .. name] = spec
end

local KUBE_OUTPUT = ' -o --output --template'
local KUBE_LIST = ' -l --selector --field-selector --sort-by --chunk-size'

local function kube(flags, values)
  return { flags = flags, values = values }
end

-- -chdir is the workspace's own; -var and -state are files and values of the run.
local TERRAFORM = { single_dash_long = true, flags = '-json -no-color -raw' }

return {
  ['docker podman nerdctl'] = {
    own_options = true, alone = true, flags = '-v -D --debug', subcommands = DOCKER,
  },
  ['docker-compose podman-compose'] = {
    flags = '-v', values = '-f --file -p --project-name --profile --project-directory --env-file',
    subcommands = COMPOSE,
  },
  ['kubectl oc kubecolor'] = {
    alone = true,
    flags = '--match-server-version',
    values = '-n --namespace -v --v --request-timeout --context --cluster',
    subcommands = {
      get = kube('-w --watch --watch-only -A --all-namespaces --show-labels --show-kind '
        .. '--no-headers --ignore-not-found --show-managed-fields --output-watch-events '
        .. '--server-print -R --recursive --allow-missing-template-keys', KUBE_OUTPUT .. KUBE_LIST
        .. ' -L --label-columns --subresource'),
      describe = kube('-A --all-namespaces --show-events -R --recursive', KUBE_LIST),
      logs = kube('-f --follow -p --previous --timestamps --all-containers --prefix '
        .. '--ignore-errors --all-pods', ' -c --container --tail --since --since-time '
        .. '--limit-bytes --max-log-requests --pod-running-timeout -l --selector'),
      explain = kube('--recursive', ' --api-version -o --output'),
      ['top node, top nodes, top pod, top pods, top no, top po'] = kube(
        '-A --all-namespaces --containers --no-headers --show-capacity --sum '
          .. '--use-protocol-buffers',
        ' -l --selector --field-selector --sort-by'),
      version = kube('--client --short', ' -o --output'),
      -- `cluster-info dump` writes a directory.
      ['cluster-info'] = { operands = 0 },
      ['api-resources'] = kube('--namespaced --no-headers --cached', ' --api-group --verbs -o '
        .. '--output --sort-by --categories'),
      ['api-versions'] = {},
      events = kube('-A --all-namespaces -w --watch --no-headers', ' --for --types -o --output'),
      ['rollout status'] = kube('-w --watch', ' --timeout --revision -l --selector'),
      ['rollout history'] = kube(nil, ' --revision -l --selector -o --output'),
      ['config view'] = kube('--minify --flatten --merge', ' -o --output'),
      ['config get-contexts'] = kube('--no-headers', ' -o --output'),
      ['config get-clusters, config get-users, config current-context'] = {},
      ['auth can-i'] = kube('--list -A --all-namespaces -q --quiet --no-headers', ' --subresource'),
      ['auth whoami'] = kube(nil, ' -o --output'),
      options = {},
    },
  },
  -- Charts of other places come with --repo, a URL or oci://; a plugin with --post-renderer.
  helm = {
    flags = '--debug',
    values = '-n --namespace --kube-context --max --offset -o --output',
    subcommands = {
      ['list, ls'] = {
        flags = '-a --all -A --all-namespaces -d --date -r --reverse -q --short --deployed '
          .. '--failed --pending --superseded --uninstalled --uninstalling --no-headers',
        values = '-f --filter -m -l --selector --time-format',
      },
      status = { flags = '--show-desc --show-resources', values = '--revision' },
      history = {},
      ['get values, get manifest, get notes, get hooks, get all, get metadata'] = {
        flags = '-a --all', values = '--revision --template',
      },
      ['show chart, show values, show readme, show all, show crds'] = {
        flags = '--devel', values = '--version --jsonpath', not_operand = '*://*',
      },
      ['search repo'] = {
        flags = '-l --versions -r --regexp --devel', values = '--version --max-col-width',
      },
      lint = {
        flags = '--strict --quiet --with-subcharts',
        values = '-f --values --set --set-string --set-json --kube-version',
        not_operand = '*://*',
      },
      template = {
        flags = '--include-crds --skip-tests --no-hooks --is-upgrade --devel',
        values = '-f --values --set --set-string --set-json -s --show-only --name-template '
          .. '--kube-version -a --api-versions --version',
        not_operand = '*://*',
      },
      ['repo list, plugin list, version, env, dependency list, dep list'] = '--short',
    },
  },
  ['terraform tofu'] = {
    single_dash_long = true,
    flags = '-version -help -v',
    values = '-chdir',
    alone = true,
    subcommands = {
      ['show, output, state list, state show'] = TERRAFORM,
      ['version, validate, providers, workspace list, workspace show, graph'] = {
        single_dash_long = true, flags = TERRAFORM.flags, operands = 0,
      },
    },
  },
}
