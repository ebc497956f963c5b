-- Runs commands in containers of podman, by its command: connections to remote machines work.
local container = require 'executors.container'

return container.new {
  program = 'podman', context_option = '--connection', host_option = '--url', stats_format = 'json',
  empty_tmpfs = 'ro,notmpcopyup', -- it copies what lies below into a tmpfs otherwise
  label_format = '{{index .Labels "%s"}}',
}
