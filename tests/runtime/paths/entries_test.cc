#include "runtime/paths/entries.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"

namespace gibbous::paths {
namespace {

TEST_CASE("the entries of a directory say which are links and which are directories") {
  char name[] = "/tmp/gibbous-entries-XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  const std::filesystem::path base(name);
  std::filesystem::create_directory(base / "a");
  std::filesystem::create_symlink("a", base / "b");
  std::ofstream(base / ".c") << "x";
  std::vector<Entry> found = entries(base.string(), nullptr);
  std::sort(found.begin(), found.end(),
            [](const Entry& left, const Entry& right) { return left.name < right.name; });
  std::filesystem::remove_all(base);
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == ".c");
  CHECK((!found[0].link && !found[0].directory));
  CHECK((!found[1].link && found[1].directory));
  CHECK(found[2].name == "b");
  CHECK((found[2].link && !found[2].directory));
}

TEST_CASE("what is no directory has no entries") {
  CHECK(entries("/nonexistent/x", nullptr).empty());
  CHECK(entries("/dev/null", nullptr).empty());
}

}  // namespace
}  // namespace gibbous::paths
