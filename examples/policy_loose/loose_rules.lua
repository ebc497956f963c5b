-- Rules that replace those which init.lua removes. What they allow leaves the sandbox.

-- git push, git push origin, git push -u origin BRANCH
local function pushes_elsewhere(command)
  local remote = command.argv[command.operands[1]]
  return remote ~= nil and remote ~= 'origin'
end

local function is_no_installer(command)
  return command.program ~= 'apt-get' and command.program ~= 'apt'
end

local function in_free_mode(command)
  return command.mode == 'auto' or command.mode == 'dangerous'
end

return {
  {
    id = 'loose.push_elsewhere',
    decision = 'ask',
    reason = 'This publishes commits to a remote other than origin: let a person approve it.',
    program = 'git',
    subcommand = 'push',
    test = pushes_elsewhere,
    match = { 'git push upstream main', 'git push https://example.com/a.git' },
    not_match = { 'git push', 'git push -u origin feature' },
  },
  {
    id = 'loose.push',
    decision = 'allow',
    leaves = true,
    test = in_free_mode,
    program = 'git',
    subcommand = 'push',
    match = { 'git push', 'git push origin HEAD' },
    not_match = { 'git pull' },
  },
  {
    id = 'loose.other_rights',
    decision = 'ask',
    reason = 'This runs with the rights of another user: use only apt-get this way, or let a '
      .. 'person run it.',
    privileged = true,
    test = is_no_installer,
    match = { 'sudo ls', 'sudo -u postgres psql' },
    not_match = { 'sudo apt-get install -y jq' },
  },
  {
    id = 'loose.install',
    decision = 'allow',
    leaves = true,
    test = in_free_mode,
    privileged = true,
    program = 'apt-get apt',
    subcommand = 'install update',
    match = { 'sudo apt-get install -y jq', 'sudo apt-get update' },
    not_match = { 'apt-get remove jq' },
  },
  {
    id = 'loose.remove',
    decision = 'ask',
    reason = 'Other users may need what this removes: leave it installed.',
    program = 'apt-get apt',
    subcommand = 'remove purge autoremove full-upgrade dist-upgrade',
    match = { 'sudo apt-get remove jq' },
    not_match = { 'sudo apt-get install jq' },
  },
  {
    id = 'loose.containers',
    decision = 'allow',
    leaves = true,
    test = in_free_mode,
    program = 'docker podman docker-compose',
    match = { 'docker compose up -d', 'docker run --rm alpine true' },
    not_match = { 'kubectl get pods' },
  },
  {
    -- What runs in the container, as far as the line says it.
    id = 'loose.in_containers',
    decision = 'allow',
    leaves = true,
    test = in_free_mode,
    remote = true,
    within = { 'docker', 'podman' },
    match = { 'docker run --rm alpine true' },
    not_match = { 'ssh host true', 'true' },
  },
}
