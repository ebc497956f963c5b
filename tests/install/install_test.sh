#!/usr/bin/env bash
# An installed Gibbous works in any prefix, with nothing of the build tree in its environment: it finds its
# keeper and its scripts beside itself. Argument: the build directory.
set -euo pipefail

build=$1
prefix=$(mktemp -d)
trap 'rm -rf -- "$prefix"' EXIT

flock "$build/.install_lock" cmake --install "$build" --prefix "$prefix/some where" >/dev/null
gibbous="$prefix/some where/bin/gibbous"
cd "$prefix"

started=$(env -i PATH="$PATH" "$gibbous" call --mode auto bg_start '{"command":"true"}')
[[ $started == 'Process started: id='* ]] || {
  printf 'expected a started process, got: %s\n' "$started"
  exit 1
}
env -i PATH="$PATH" "$gibbous" tools --format mcp | grep -q '"name":"wait_for"'
for header in gibbous.h gibbous/status.h gibbous/runtime.h; do
  [[ -f "$prefix/some where/include/$header" ]]
done

echo 'installed, and it works'
