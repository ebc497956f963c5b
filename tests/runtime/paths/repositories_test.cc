// Which repositories are below a directory, and that to look for them ends.
#include "runtime/paths/repositories.h"

#include <algorithm>
#include <filesystem>

#include "runtime/paths/question.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::paths {
namespace {

namespace fs = std::filesystem;
using gibbous::testing::TempDir;

std::vector<std::string> sorted(std::vector<std::string> places) {
  std::sort(places.begin(), places.end());
  return places;
}

TEST_CASE("repositories are found at any depth, by their directory or their file") {
  const TempDir dir;
  const std::string root = fs::canonical(dir.path());
  for (const char* each : {".git", "a/.git", "b/c/d/.git", "a/.git/modules/x", "empty"}) {
    fs::create_directories(root + "/" + each);
  }
  dir.write("sub/.git", "gitdir: ../.git/modules/sub\n");
  fs::create_directory_symlink(root + "/a", root + "/link");
  const Repositories found = find_repositories(root);
  CHECK(found.complete);
  CHECK(sorted(found.places) ==
        std::vector<std::string>{root + "/a/.git", root + "/b/c/d/.git", root + "/sub/.git"});
  CHECK(find_repositories(root + "/nowhere").places.empty());
}

TEST_CASE("a search that cannot see everything says so") {
  const TempDir dir;
  const std::string root = fs::canonical(dir.path());
  fs::create_directories(root + "/a/.git");
  REQUIRE(find_repositories(root).complete);
  fs::create_directories(root + "/b");
  fs::create_directory_symlink(root + "/a/.git", root + "/b/.git");
  CHECK_FALSE(find_repositories(root).complete);
}

TEST_CASE("bare repositories are found by what is in them, the directory itself, too") {
  const TempDir dir;
  const std::string root = fs::canonical(dir.path());
  for (const char* each : {"x.git/objects", "x.git/refs", "data/objects", "data/refs"}) {
    fs::create_directories(root + "/" + each);
  }
  dir.write("x.git/HEAD", "ref: refs/heads/main\n");
  dir.write("led/HEAD", "ref: refs/heads/main\n");
  dir.write("led/commondir", "/elsewhere\n");
  CHECK(sorted(find_repositories(root).bare) ==
        std::vector<std::string>{root + "/led", root + "/x.git"});
  CHECK(find_repositories(root + "/x.git").bare == std::vector<std::string>{root + "/x.git"});
}

TEST_CASE("the nearest repositories are found where there are too many, and it is said") {
  const TempDir dir;
  const std::string root = fs::canonical(dir.path());
  for (int i = 0; i < 100; ++i) {
    fs::create_directories(root + "/deep/" + std::to_string(i) + "/.git");
  }
  fs::create_directories(root + "/near/.git");
  const Repositories found = find_repositories(root);
  CHECK_FALSE(found.complete);
  CHECK(std::count(found.places.begin(), found.places.end(), root + "/near/.git") == 1);
}

TEST_CASE("a search is over after its time, of which a machine that stands still takes little") {
  using std::chrono::milliseconds;
  SearchTime::Time now{std::chrono::hours(1)};
  SearchTime busy(now);
  int steps = 0;
  do {
    now += milliseconds(1);
    ++steps;
  } while (!busy.is_over(now));
  CHECK(steps == kSearchTime / milliseconds(1));
  SearchTime stopped(now);
  for (int stops = 0; stops < 5; ++stops) CHECK_FALSE(stopped.is_over(now += milliseconds(700)));
  // One that does nothing else ends, too.
  for (steps = 0; !stopped.is_over(now += milliseconds(700)); ++steps) REQUIRE(steps < 100);
}

}  // namespace
}  // namespace gibbous::paths
