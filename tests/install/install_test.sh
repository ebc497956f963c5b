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
for header in status.h runtime.h; do
  [[ -f "$prefix/some where/include/gibbous/$header" ]]
done

# Another program embeds it.
mkdir "$prefix/host"
cat >"$prefix/host/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(host LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(gibbous REQUIRED)
add_executable(host main.cc)
target_link_libraries(host PRIVATE gibbous::gibbous_host)
CMAKE
cat >"$prefix/host/main.cc" <<'CPP'
#include <cstdio>
#include <gibbous/runtime.h>
int main() {
  auto runtime = gibbous::Runtime::create({.mode = "auto"});
  if (!runtime) return std::puts(runtime.status().message().c_str()), 1;
  bool done = false;
  (*runtime)->call({"bg_status", "{}"}, [&](const gibbous::CallResult& result) {
    std::puts(result.text.c_str());
    done = true;
  });
  while (!done) (*runtime)->poll();
}
CPP
flags=$(sed -n 's/^GIBBOUS_SANITIZE:[^=]*=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
cmake -S "$prefix/host" -B "$prefix/host/build" -DCMAKE_PREFIX_PATH="$prefix/some where" \
  -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$prefix/host/build" >/dev/null
answer=$(GIBBOUS_KEEPER="$prefix/some where/libexec/gibbous/gibbous-keeper" \
  GIBBOUS_SHARE="$prefix/some where/share/gibbous" "$prefix/host/build/host")
[[ $answer == 'No background processes.' ]] || {
  printf 'expected an answer from the embedded runtime, got: %s\n' "$answer"
  exit 1
}
echo 'installed, and it works'
