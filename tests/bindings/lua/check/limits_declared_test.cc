// bindings/lua/check/limits_value.cc declares the limits of a run; everything else that names them
// must match.
#include <algorithm>
#include <regex>

#include "bindings/lua/check/limits_value.h"
#include "tests/support/catch.h"
#include "tests/support/source.h"

namespace gibbous::lua {
namespace {

// Returns the first group of every match of `pattern` in `text`, in order.
std::vector<std::string> all_of(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("the declarations and the page of limits name exactly the limits of the core") {
  const Json properties = limits_schema("")["properties"];
  std::vector<std::string> names;
  std::vector<std::string> declared;
  for (const auto& [name, property] : properties.items()) {
    names.push_back(name);
    declared.push_back(name + "? " + property["type"].get<std::string>());
  }
  REQUIRE(names.size() > 5);
  std::string meta = testing::source_text("scripts/meta/run.lua");
  meta = meta.substr(meta.find("---@class Limits\n"));
  meta = meta.substr(0, meta.find("\n\n"));
  CHECK(sorted(all_of(meta, "@field (\\w+\\? \\w+)")) == declared);
  CHECK(sorted(all_of(testing::source_text("docs/limits.md"), "\n\\| `(\\w+)` \\|")) == names);
}

}  // namespace
}  // namespace gibbous::lua
