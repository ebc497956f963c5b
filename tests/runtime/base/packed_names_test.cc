#include "runtime/base/packed_names.h"

#include <map>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace gibbous {
namespace {

std::string some() {
  return PackedNames::pack({{"git", 0}, {"hg", 0}, {"make", 1}, {"", 2}}, {"scm", "build", ""});
}

TEST_CASE("packed names find what they name") {
  const PackedNames names(some(), nullptr);
  REQUIRE(names.find("make"));
  CHECK(names.bytes(*names.find("make")) == "build");
  CHECK(names.bytes(*names.find("git")) == "scm");
  CHECK(names.find("git") == names.find("hg"));
  CHECK(names.bytes(*names.find("")).empty());
  CHECK_FALSE(names.find("mak"));
  CHECK_FALSE(names.find("makes"));
  CHECK_FALSE(PackedNames().find("git"));
  std::map<std::string, std::string> all;
  names.each(
      [&](std::string_view name, std::size_t item) { all[std::string(name)] = names.bytes(item); });
  CHECK(all == std::map<std::string, std::string>{
                   {"", ""}, {"git", "scm"}, {"hg", "scm"}, {"make", "build"}});
}

TEST_CASE("thousands of packed names are found") {
  constexpr std::size_t kMany = 5000;
  std::vector<std::pair<std::string, std::size_t>> names;
  std::vector<std::string> items;
  for (std::size_t i = 0; i < kMany; ++i) {
    names.emplace_back("name" + std::to_string(i), i);
    items.push_back(std::to_string(i));
  }
  const PackedNames packed(PackedNames::pack(names, items), nullptr);
  bool found = true;
  for (const auto& [name, item] : names)
    found = found && packed.find(name) == item && packed.bytes(item) == items[item];
  CHECK(found);
}

TEST_CASE("a text that is cut off or changed is never read beyond its end") {
  const std::string whole = some();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const PackedNames names(std::string_view(whole).substr(0, size), nullptr);
    names.each(
        [&](std::string_view, std::size_t item) { CHECK(names.bytes(item).size() <= size); });
    (void)names.find("make");
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = '\xff';
    const PackedNames names(changed, nullptr);
    for (const char* name : {"git", "hg", "make", "x"}) {
      const auto item = names.find(name);
      if (item) CHECK(names.bytes(*item).size() <= whole.size());
    }
  }
}

}  // namespace
}  // namespace gibbous
