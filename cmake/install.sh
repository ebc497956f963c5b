#!/usr/bin/env bash
# Puts a build into a prefix, and takes exactly that out again. `./dev install` and `./dev uninstall` call it.
#   install.sh install BUILD PREFIX
#   install.sh uninstall PREFIX
# The list of what was installed lies in PREFIX/share/gibbous: uninstalling needs no build folder.
set -euo pipefail

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# The files and directories that an installation made, relative to the prefix; directories end in a slash.
manifest_of() { printf '%s\n' "$1/share/gibbous/installed.txt"; }

# The directories between the prefix and these files, sorted.
directories_of() {
  local path
  while IFS= read -r path; do
    while [[ $path == */* ]]; do
      path=${path%/*}
      printf '%s/\n' "$path"
    done
  done | sort -u
}

# A list that was tampered with must not lead out of the prefix: neither by dots nor through a link.
declare -A checked=()
check_inside() {
  local prefix=$1 path=$2 folder=. parent
  [[ -n $path && $path != /* && "/$path/" != */../* && "/$path/" != */./* ]] ||
    fail "the list of installed files names '$path', which is outside $prefix: nothing is removed"
  [[ $path != */* ]] || folder=${path%/*}
  [[ -z ${checked[$folder]:-} ]] || return 0
  parent=$(realpath -m -- "$prefix/$folder")
  [[ $parent == "$prefix" || $parent == "$prefix"/* ]] ||
    fail "'$path' lies behind a link that leads out of $prefix: nothing is removed"
  checked[$folder]=1
}

uninstall() {
  local prefix=$1 manifest path
  manifest=$(manifest_of "$prefix")
  [[ -f $manifest ]] || fail "nothing is installed in $prefix: there is no $manifest"
  local -a files=() directories=()
  while IFS= read -r path; do
    check_inside "$prefix" "${path%/}"
    if [[ $path == */ ]]; then directories+=("$path"); else files+=("$path"); fi
  done <"$manifest"
  for path in "${files[@]}"; do
    [[ -L $prefix/$path || ! -d $prefix/$path ]] ||
      fail "$prefix/$path is a directory now: nothing is removed"
  done
  (cd -- "$prefix" && printf '%s\0' "${files[@]}" | xargs -0 -r rm -f --)
  rm -f -- "$manifest"
  # A directory in which something else lies by now stays.
  for path in "${directories[@]}"; do
    [[ -L $prefix/${path%/} ]] || rmdir -- "$prefix/$path" 2>/dev/null || true
  done
}

install_build() {
  local build=$1 prefix=$2 manifest path log lock
  manifest=$(manifest_of "$prefix")
  # What an earlier version had and this one has no more goes too.
  [[ ! -f $manifest ]] || uninstall "$prefix"
  mkdir -p -- "$prefix"
  local before
  before=$(cd -- "$prefix" && find . -type d -printf '%P/\n' | sort)
  log=$(mktemp)
  # The build directory has one list of what the last installation wrote.
  exec {lock}>"$build/.install_lock"
  flock "$lock"
  cmake --install "$build" --prefix "$prefix" >"$log" 2>&1 || { cat -- "$log" >&2; rm -f -- "$log"; exit 1; }
  rm -f -- "$log"
  local -a files=()
  while IFS= read -r path || [[ -n $path ]]; do
    files+=("${path#"$prefix/"}")
  done <"$build/install_manifest.txt"
  exec {lock}>&-
  {
    printf '%s\n' "${files[@]}"
    printf '%s\n' "${files[@]}" share/gibbous/installed.txt | directories_of |
      comm -23 - <(printf '%s\n' "$before") | sort -r
  } >"$manifest"
}

case ${1:-} in
  install) install_build "$(realpath -- "$2")" "$(realpath -m -- "$3")" ;;
  uninstall) uninstall "$(realpath -m -- "$2")" ;;
  *) fail "usage: $0 install BUILD PREFIX | uninstall PREFIX" ;;
esac
