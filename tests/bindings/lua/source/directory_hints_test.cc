// DirectoryHints: what is told of names in a directory, and of the directory itself.
#include "bindings/lua/source/directory_hints.h"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/loop.h"

using namespace gibbous;
using namespace gibbous::lua;
using gibbous::testing::Loop;
using gibbous::testing::TempDir;

namespace {

namespace fs = std::filesystem;

struct Watched {
  Watched() : hints(loop.get(), [this] { ++count; }) {}
  ~Watched() {
    bool closed = false;
    hints.close([&closed] { closed = true; });
    CHECK(loop.until([&closed] { return closed; }));
  }
  bool told() {
    return loop.until([this] { return count > 0; });
  }
  Loop loop;
  TempDir dir;
  int count = 0;
  DirectoryHints hints;
};

}  // namespace

TEST_CASE("the end of writing is told, and not each write") {
  Watched watched;
  watched.dir.write("a", "1");
  REQUIRE(watched.hints.add(watched.dir.path(), {"a"}));
  std::ofstream file(watched.dir.path() + "/a");
  for (int i = 0; i < 100; ++i) file << i << std::flush;
  watched.loop.turn();
  CHECK(watched.count == 0);
  file.close();
  REQUIRE(watched.told());
  CHECK(watched.count == 1);
}

TEST_CASE("a name that appears, goes or is replaced is told, and no other name") {
  Watched watched;
  const std::string file = watched.dir.path() + "/a";
  SECTION("appears") {
    REQUIRE(watched.hints.add(watched.dir.path(), {"a"}));
    watched.dir.write("a", "1");
    CHECK(watched.told());
  }
  SECTION("goes") {
    watched.dir.write("a", "1");
    REQUIRE(watched.hints.add(watched.dir.path(), {"a"}));
    fs::remove(file);
    CHECK(watched.told());
  }
  SECTION("is replaced") {
    watched.dir.write("a", "1");
    const std::string other = watched.dir.write("b", "2");
    REQUIRE(watched.hints.add(watched.dir.path(), {"a"}));
    fs::rename(other, file);
    CHECK(watched.told());
  }
  SECTION("another") {
    watched.dir.write("a", "1");
    REQUIRE(watched.hints.add(watched.dir.path(), {"a"}));
    watched.dir.write("b", "2");
    watched.loop.turn();
    CHECK(watched.count == 0);
  }
}

TEST_CASE("a directory that goes is told, and has to be added again") {
  Watched watched;
  const std::string below = watched.dir.path() + "/below";
  fs::create_directory(below);
  REQUIRE(watched.hints.add(below, {"a"}));
  CHECK(watched.hints.has(below, {"a"}));
  CHECK_FALSE(watched.hints.has(below, {"b"}));
  SECTION("renamed") {
    fs::rename(below, below + "2");
  }
  SECTION("removed") {
    fs::remove(below);
  }
  REQUIRE(watched.told());
  CHECK_FALSE(watched.hints.has(below, {"a"}));
  CHECK_FALSE(watched.hints.add(below, {"a"}));
  fs::create_directory(below);
  CHECK(watched.hints.add(below, {"a"}));
}

TEST_CASE("a directory that is added by two names has the names of both") {
  Watched watched;
  const std::string link = watched.dir.path() + "/link";
  fs::create_directory(watched.dir.path() + "/real");
  fs::create_directory_symlink("real", link);
  REQUIRE(watched.hints.add(watched.dir.path() + "/real", {"a"}));
  REQUIRE(watched.hints.add(link, {"b"}));
  watched.dir.write("real/a", "1");
  REQUIRE(watched.told());
  watched.count = 0;
  watched.dir.write("real/b", "1");
  CHECK(watched.told());
}
