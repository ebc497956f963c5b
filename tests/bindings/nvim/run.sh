#!/bin/sh
# Runs one test file in a headless Neovim that has read no configuration: run.sh PREFIX FILE
# FILE is absolute, or relative to the root of the repository.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd)
prefix=$1
file=$2
cd "$root"
exec nvim --headless -u NONE -n -i NONE --cmd 'set rtp+=bindings/module,bindings/nvim' --cmd "let g:prefix='$prefix'" \
  -c "luafile $file" -c 'cquit 1' </dev/null
