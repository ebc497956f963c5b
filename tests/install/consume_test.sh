#!/usr/bin/env bash
# Other programs build against an installed Gibbous and find its keeper and its scripts, with nothing in their
# environment: in C and C++, by CMake and pkg-config, and as a part of another project.
# Arguments: the source directory and the build directory.
set -euo pipefail

source=$1 build=$2
top=$(mktemp -d)
trap 'rm -rf -- "$top"' EXIT
prefix="$top/some where"
flock "$build/.install_lock" cmake --install "$build" --prefix "$prefix" >/dev/null
flags=$(sed -n 's/^GIBBOUS_SANITIZE:[^=]*=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
# The program itself is not installed beside anything of Gibbous.
export XDG_STATE_HOME="$top/state"

fail() {
  printf '%s\n' "$*"
  exit 1
}
# Runs a program as a user's service manager would.
run_bare() { env -i PATH=/usr/bin:/bin XDG_STATE_HOME="$top/state" "$@"; }
expect() {
  local name=$1 got
  shift
  got=$(run_bare "$@") || fail "$name failed: $got"
  [[ $got == 'No background processes.' ]] || fail "$name: expected an answer, got: $got"
}
# Prints the log of a command that fails.
quietly() {
  local log="$top/log"
  "$@" >"$log" 2>&1 || { tail -40 "$log"; fail "failed: $*"; }
}

mkdir "$top/c" "$top/cpp" "$top/part" "$top/wrong"
cat >"$top/c/main.c" <<'C'
#include <gibbous.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char error[300];
  gib_runtime* runtime = gib_create("{\"mode\":\"auto\"}", error, sizeof error);
  if (runtime == NULL) return puts(error), 1;
  gib_call(runtime, "{\"tool\":\"bg_status\"}");
  gib_message message = {.size = sizeof message};
  int answered = 0;
  while (!answered && gib_wait(runtime, 1000) == GIB_OK) {
    while (gib_next(runtime, &message) == 1) {
      if (message.kind != GIB_RESULT) continue;
      answered = 1;
      puts(strstr(message.json, "No background") != NULL ? "No background processes." : message.json);
    }
  }
  return gib_destroy(runtime) == GIB_OK ? 0 : 1;
}
C
cat >"$top/c/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C)
find_package(Gibbous 0.2 REQUIRED COMPONENTS C)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE Gibbous::c)
CMAKE
cat >"$top/cpp/main.cc" <<'CPP'
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
  while (!done) (*runtime)->wait(std::chrono::seconds(1));
}
CPP
cat >"$top/cpp/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES CXX)
find_package(Gibbous 0.2 REQUIRED COMPONENTS Cpp)
# Two parts that link the library end in one program.
add_library(part STATIC part.cc)
target_link_libraries(part PUBLIC Gibbous::cpp)
add_executable(consumer main.cc)
target_link_libraries(consumer PRIVATE part Gibbous::cpp)
# The name before 0.2.
find_package(gibbous REQUIRED)
add_executable(old main.cc)
target_link_libraries(old PRIVATE gibbous::gibbous_host)
CMAKE
echo 'const char* part() { return "part"; }' >"$top/cpp/part.cc"

for each in c cpp; do
  quietly cmake -S "$top/$each" -B "$top/$each/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags"
  quietly cmake --build "$top/$each/build"
  expect "find_package, $each" "$top/$each/build/consumer"
done
expect 'find_package(gibbous)' "$top/cpp/build/old"

# pkg-config, and a prefix that was moved afterwards.
mv "$prefix" "$top/elsewhere"
prefix="$top/elsewhere"
library=$(dirname "$(find "$prefix" -name gibbous.pc)")
export PKG_CONFIG_PATH="$library"
pkg-config --atleast-version=0.2 gibbous || fail 'pkg-config does not know the version'
# shellcheck disable=SC2046,SC2086
quietly cc -std=c99 $flags -o "$top/c/plain" "$top/c/main.c" $(pkg-config --cflags --libs gibbous) \
  "-Wl,-rpath,$(pkg-config --variable=libdir gibbous)"
expect 'pkg-config' "$top/c/plain"

# The library alone, without a keeper or a script on the disk. With sanitizers it has no keeper.
if [[ -z $flags ]]; then
  mkdir "$top/alone"
  cp -L "$(pkg-config --variable=libdir gibbous)/libgibbous.so.0" "$top/alone"
  sed -e 's/\\"tool\\":\\"bg_status\\"/\\"tool\\":\\"bg_start\\",\\"arguments\\":{\\"command\\":\\"exit 0\\"}/' \
    -e 's/"No background"/"\\"ok\\":true"/' "$top/c/main.c" >"$top/alone/main.c"
  grep -q bg_start "$top/alone/main.c" || fail 'the program starts no run'
  # shellcheck disable=SC2046
  quietly cc -std=c99 -o "$top/alone/program" "$top/alone/main.c" $(pkg-config --cflags gibbous) \
    "$top/alone/libgibbous.so.0" "-Wl,-rpath,$top/alone"
  expect 'the library alone' "$top/alone/program"
fi

# Wrong uses are refused by name.
printf 'cmake_minimum_required(VERSION 3.22)\nproject(x LANGUAGES CXX)\nfind_package(Gibbous %s REQUIRED %s)\n' \
  9 '' >"$top/wrong/CMakeLists.txt"
! cmake -S "$top/wrong" -B "$top/wrong/build" -DCMAKE_PREFIX_PATH="$prefix" >"$top/log" 2>&1 ||
  fail 'find_package(Gibbous 9) was accepted'
printf 'cmake_minimum_required(VERSION 3.22)\nproject(x LANGUAGES CXX)\nfind_package(Gibbous REQUIRED %s)\n' \
  'COMPONENTS Rust' >"$top/wrong/CMakeLists.txt"
! cmake -S "$top/wrong" -B "$top/wrong/build" -DCMAKE_PREFIX_PATH="$prefix" >"$top/log" 2>&1 ||
  fail 'the component Rust was accepted'
grep -q 'no component Rust' "$top/log" || { cat "$top/log"; fail 'the refusal does not name the component'; }

# A part of another project: no tests, no command, no installation of ours, and the keeper is built.
cat >"$top/part/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(whole LANGUAGES C CXX)
include(FetchContent)
FetchContent_Declare(gibbous SOURCE_DIR "$source")
FetchContent_MakeAvailable(gibbous)
add_executable(consumer "$top/cpp/main.cc")
target_link_libraries(consumer PRIVATE Gibbous::cpp)
foreach(each gibbous gibbous_cli gibbous_mcp test_embed game_loop gibbous_bench)
  if(TARGET \${each})
    message(FATAL_ERROR "\${each} is built in another project")
  endif()
endforeach()
CMAKE
quietly cmake -G Ninja -S "$top/part" -B "$top/part/build" -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
# What would be built; building it takes as long as all of Gibbous.
steps=$(ninja -C "$top/part/build" -t commands consumer)
for each in '-o consumer' libgibbous.a '-o _deps/gibbous-build/gibbous-keeper'; do
  [[ $steps == *"$each"* ]] || fail "the build of the consumer does not do: $each"
done
quietly cmake --install "$top/part/build" --prefix "$top/nothing"
[[ ! -e "$top/nothing/include" ]] || fail 'the installation of another project installs Gibbous'
echo 'other programs build against it, and it works'
