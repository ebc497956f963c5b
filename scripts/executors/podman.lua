-- Runs commands in podman containers through the podman command, so remote connections work.
local container = require 'executors.container'

return container.new {
  program = 'podman', context_option = '--connection', host_option = '--url', stats_format = 'json',
  empty_tmpfs = 'ro,notmpcopyup', -- otherwise podman copies what lies below into the tmpfs
  label_format = '{{index .Labels "%s"}}',
}
