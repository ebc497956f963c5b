// A disk that dies while scripts and policies are read from it: the reload fails by name, what is
// in force stays, and nothing piles up.
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "bindings/lua/source/snapshot.h"
#include "runtime/paths/in_time.h"
#include "runtime/paths/mount_types.h"
#include "runtime/paths/patience.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/remote_disk.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::Host;
using testing::RemoteDisk;
using testing::TempDir;

std::size_t threads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_CASE("dead disk: a file that is read while its disk dies is given up") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  lua::Snapshot before;
  const auto read = before.read(disk.path("file"));
  REQUIRE(read.ok());
  REQUIRE(read.value() != nullptr);
  CHECK(read.value()->text == "hello\n");
  CHECK(before.still_true());
  disk.die();
  // It was not asked whether it answers: it died after that.
  lua::Snapshot snapshot;
  const auto given_up = snapshot.read(disk.path("directory/file"));
  CHECK(given_up.status().code() == "path_unanswered");
  CHECK(snapshot.unanswered() == disk.path("directory/file"));
  // No other file of this load waits again.
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(snapshot.read(disk.path("other" + std::to_string(i))).ok());
  }
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(60));
  // A later one that comes from elsewhere is read.
  TempDir dir;
  dir.write("x.lua", "return 1");
  CHECK(lua::Snapshot().read(dir.path() + "/x.lua").ok());
  disk.live();
}

TEST_CASE("dead disk: threads that hang do not pile up, and are free when it answers again") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  const auto mounts = paths::MountTypes().now();
  disk.die();
  const std::size_t at_first = threads();
  for (int i = 0; i < 4 * paths::kMostHanging; ++i) {
    const std::string path = disk.path("file" + std::to_string(i));
    CHECK_FALSE(paths::in_time(path, *mounts, std::chrono::milliseconds(20), [path] {
      std::error_code ignored;
      (void)std::filesystem::exists(path, ignored);
    }));
  }
  CHECK(threads() <= at_first + static_cast<std::size_t>(paths::kMostHanging));
  for (int i = 0; i < 20; ++i) {
    CHECK_FALSE(paths::answers_within(disk.path("again"), std::chrono::milliseconds(5)));
  }
  disk.live();
  testing::Loop loop;
  const std::string file = disk.path("file");
  CHECK(loop.until([&] {
    const auto found = std::make_shared<bool>(false);
    const bool reached = paths::in_time(file, *mounts, std::chrono::seconds(2), [found, file] {
      std::error_code ignored;
      *found = std::filesystem::exists(file, ignored);
    });
    return reached && *found;
  }));
  CHECK(loop.until(
      [&] { return paths::answers_within(disk.path("again"), std::chrono::milliseconds(500)); }));
}

TEST_CASE("dead disk: reloads fail by name, what is in force stays, and a later one works") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  TempDir dir;
  // The directory is local; one file of it lies on the disk that dies.
  dir.write("scripts/init.lua",
            "require 'part'\nreturn { toolsets = { require 'toolsets.bg' } }\n");
  RuntimeOptions options = testing::auto_mode();
  options.scripts_dir = dir.path() + "/scripts";
  dir.write("scripts/part.lua", "return {}\n");
  Host host(options);
  std::filesystem::remove(dir.path() + "/scripts/part.lua");
  std::filesystem::create_symlink(disk.path("directory/part"), dir.path() + "/scripts/part.lua");
  disk.die();
  const std::uint64_t generation = host.runtime->generation();
  for (int i = 0; i < 3; ++i) {
    const ReloadResult failed = host.runtime->reload();
    CHECK_FALSE(failed.ok);
    CHECK_THAT(failed.message, Contains("does not answer") && Contains("part.lua"));
    CHECK(host.runtime->generation() == generation);
    CHECK(host.call("bg_status", Json::object()).ok);
  }
  std::filesystem::remove(dir.path() + "/scripts/part.lua");
  dir.write("scripts/part.lua", "return {}\n");
  CHECK(host.runtime->reload().ok);
  bool closed = false;
  host.runtime->close([&] { closed = true; });
  CHECK(host.until([&] { return closed; }));
  disk.live();
}

}  // namespace
}  // namespace gibbous
