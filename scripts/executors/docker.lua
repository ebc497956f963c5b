-- Runs commands in docker containers through the docker command, so contexts and remote engines
-- work.
local container = require 'executors.container'

return container.new {
  program = 'docker', context_option = '--context', host_option = '--host',
  stats_format = '{{json .}}', has_counters = true, empty_tmpfs = 'readonly',
  label_format = '{{.Label "%s"}}',
}
