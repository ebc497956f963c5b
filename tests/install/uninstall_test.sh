#!/usr/bin/env bash
# Uninstalling leaves a prefix as it was: what lay there before stays, and nothing outside is touched.
# Arguments: the source directory and the build directory.
set -euo pipefail

source=$1 build=$2
tool="$source/cmake/install.sh"
top=$(mktemp -d)
trap 'rm -rf -- "$top"' EXIT
prefix="$top/some where"

fail() {
  printf '%s\n' "$*"
  exit 1
}
tree() { (cd "$1" && find . \( -type f -printf '%p %s\n' \) -o -printf '%p %y\n' | sort); }

mkdir -p "$prefix/bin" "$prefix/share/other" "$prefix/lib"
echo mine >"$prefix/bin/mine"
before=$(tree "$prefix")

"$tool" install "$build" "$prefix"
for file in bin/gibbous libexec/gibbous/gibbous-keeper share/gibbous/scripts share/gibbous/policies \
  include/gibbous/runtime.h; do
  [[ -e $prefix/$file ]] || fail "$file was not installed"
done
answer=$(cd / && env -i PATH="$prefix/bin:$PATH" gibbous call --mode auto --state "$top/state" bg_status)
[[ $answer == 'No background processes.' ]] || fail "the installed command answered: $answer"

# Again, over an older version with a file that is no longer shipped.
echo old >"$prefix/share/gibbous/scripts/dropped.lua"
echo share/gibbous/scripts/dropped.lua >>"$prefix/share/gibbous/installed.txt"
"$tool" install "$build" "$prefix"
[[ ! -e $prefix/share/gibbous/scripts/dropped.lua ]] || fail 'a file that is no longer shipped stayed'

# What a user put into a directory of ours stays, and so does the directory.
echo own >"$prefix/share/gibbous/scripts/own.lua"
"$tool" uninstall "$prefix"
[[ $(cd "$prefix/share/gibbous" && find . -type f) == ./scripts/own.lua ]] ||
  fail "left in share/gibbous: $(cd "$prefix/share/gibbous" && find . -type f)"
rm -r "$prefix/share/gibbous"
[[ $(tree "$prefix") == "$before" ]] || fail "left behind: $(diff <(echo "$before") <(tree "$prefix"))"
if "$tool" uninstall "$prefix" 2>"$top/said"; then fail 'uninstalled what was not installed'; fi
grep -q 'nothing is installed in' "$top/said"

# A list that leads out of the prefix is refused, by dots and by a link, before anything is removed.
echo precious >"$top/precious"
mkdir "$top/outside" && echo precious >"$top/outside/file"
for path in ../precious bin/../../precious "$top/precious" link/file; do
  "$tool" install "$build" "$prefix"
  ln -sfn "$top/outside" "$prefix/link"
  echo "$path" >>"$prefix/share/gibbous/installed.txt"
  if "$tool" uninstall "$prefix" 2>"$top/said"; then fail "accepted a list with $path"; fi
  grep -q 'nothing is removed' "$top/said"
  [[ -f $top/precious && -f $top/outside/file && -f $prefix/bin/gibbous ]] || fail "$path removed something"
  sed -i '$d' "$prefix/share/gibbous/installed.txt"
  rm "$prefix/link"
  "$tool" uninstall "$prefix"
done
[[ $(tree "$prefix") == "$before" ]] || fail "left behind: $(diff <(echo "$before") <(tree "$prefix"))"
echo 'installed and uninstalled, nothing left'
