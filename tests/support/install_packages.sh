#!/bin/sh
# Installs the npm packages that a folder of tests names, outside the source tree.
#
#   install_packages.sh SOURCE DIRECTORY
#
# SOURCE has package.json, package-lock.json and .npmrc; DIRECTORY/node_modules is what comes of it. Several
# builds may share one DIRECTORY. Needs npm; fails clearly without it.
set -eu

source=$(cd "$1" && pwd)
mkdir -p "$2"
directory=$(cd "$2" && pwd)

fail() {
  echo "install_packages: $*" >&2
  exit 1
}

command -v npm >/dev/null 2>&1 || fail 'npm is missing. Install it (Debian: apt install nodejs npm).'

exec 9>"$directory/.lock"
flock 9
cmp -s "$source/package-lock.json" "$directory/installed-lock.json" && exit 0
rm -f "$directory/installed-lock.json"
cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$directory/"
(cd "$directory" && npm ci >npm.log 2>&1) || {
  cat "$directory/npm.log" >&2
  fail "npm ci failed; the packages of $source could not be installed"
}
cp "$source/package-lock.json" "$directory/installed-lock.json"
