-- The shipped executors, as a list for init.lua.
return {
  require 'executors.docker',
  require 'executors.podman',
  require('executors.bwrap').executor,
  require 'executors.systemd_run',
  require 'executors.pid_namespace',
  require 'executors.ssh',
}
