// Files that are known by their times: when they need not be read again, and when they must be.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "bindings/lua/source/snapshot.h"
#include "runtime/base/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using namespace std::chrono_literals;
using lua::FileStamp;
using lua::FileState;
using lua::KnownFile;
using lua::Snapshot;

std::chrono::nanoseconds now() {
  return std::chrono::system_clock::now().time_since_epoch();
}

FileState state_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return FileState::of(info);
}

TEST_CASE("a file in a known state is not read until its text is needed") {
  const testing::TempDir dir;
  const std::string path = dir.write("a.lua", "return 1");
  Snapshot snapshot;
  // Nobody has this text: whoever reads the file notices.
  REQUIRE(snapshot.take_known({{path, sha256_hex("return 2"), state_of(path)}}));
  const auto file = snapshot.read(path);
  REQUIRE(file.ok());
  CHECK((*file)->hash == sha256_hex("return 2"));
  CHECK_FALSE(snapshot.text_of(**file).ok());
  CHECK_FALSE(snapshot.still_true());
}

TEST_CASE("a file without a state, or in another one, is compared by its bytes") {
  const testing::TempDir dir;
  const std::string path = dir.write("a.lua", "return 1");
  CHECK(Snapshot().take_known({{path, sha256_hex("return 1")}}));
  CHECK_FALSE(Snapshot().take_known({{path, sha256_hex("return 2")}}));
  FileState other = state_of(path);
  --other.changed_ns;
  CHECK(Snapshot().take_known({{path, sha256_hex("return 1"), other}}));
  CHECK_FALSE(Snapshot().take_known({{path, sha256_hex("return 2"), other}}));
}

TEST_CASE("a changed file with its old size and times is noticed") {
  const testing::TempDir dir;
  const std::string path = dir.write("a.lua", "return 1");
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  const FileState before = FileState::of(info);
  dir.write("a.lua", "return 2");
  const timespec times[] = {info.st_atim, info.st_mtim};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  CHECK_FALSE(Snapshot().take_known({{path, sha256_hex("return 1"), before}}));
  CHECK(Snapshot().take_known({{path, sha256_hex("return 2"), before}}));
}

TEST_CASE("a file that has gone, or has come, is noticed") {
  const testing::TempDir dir;
  const std::string path = dir.write("a.lua", "return 1");
  CHECK_FALSE(Snapshot().take_known({{path, ""}}));
  const FileState before = state_of(path);
  REQUIRE(::unlink(path.c_str()) == 0);
  CHECK_FALSE(Snapshot().take_known({{path, sha256_hex("return 1"), before}}));
  CHECK(Snapshot().take_known({{path, ""}}));
}

TEST_CASE("only files that are old are known by their times") {
  const testing::TempDir dir;
  const std::string path = dir.write("a.lua", "return 1");
  const FileStamp stamp = FileStamp::of(path);
  CHECK_FALSE(lua::settled_state(path, stamp, now(), 1min));
  const auto old = lua::settled_state(path, stamp, now() + 1h, 1min);
  // Not on every file system do the times say enough.
  if (old) CHECK(*old == state_of(path));
  FileStamp other = stamp;
  ++other.size;
  CHECK_FALSE(lua::settled_state(path, other, now() + 1h, 1min));
  CHECK_FALSE(lua::settled_state(dir.path() + "/missing", {}, now() + 1h, 1min));
}

}  // namespace
}  // namespace gibbous
