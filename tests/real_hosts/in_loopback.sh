#!/bin/sh
# Runs a command where there is no network but the loopback: a host that would report home, look for updates
# or reach a real model fails to.
#
#   in_loopback.sh COMMAND [ARGUMENT...]
set -eu

# A user who is not root needs a user namespace of their own for it.
options=--net
[ "$(id -u)" -eq 0 ] || options='--user --map-root-user --net'

# shellcheck disable=SC2086
unshare $options ip link set lo up || {
  echo "in_loopback: no network namespace can be made here (unshare $options), so real hosts cannot be run" >&2
  exit 1
}
# shellcheck disable=SC2016,SC2086
exec unshare $options sh -c 'ip link set lo up && exec "$@"' in_loopback "$@"
