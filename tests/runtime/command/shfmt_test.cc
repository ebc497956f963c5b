// The parser against another one: the commands that shfmt finds in the lines of snippets.txt must
// be found here too, at any depth. snippets.txt has the answers, so that shfmt need not be
// installed.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/runtime/command/tree_check.h"
#include "tests/support/catch.h"

using gibbous::command::parse;
using gibbous::command::testing::command_names;
using gibbous::command::testing::tree_fault;

namespace {

constexpr std::size_t kFewestSnippets = 500;

struct Snippet {
  std::string text;
  std::vector<std::string> names;
};

std::vector<Snippet> snippets() {
  const char* root = std::getenv("GIBBOUS_SOURCE_DIR");
  std::ifstream file(std::string(root ? root : ".") + "/tests/runtime/command/snippets.txt");
  const std::string newline = "␤";
  std::vector<Snippet> found;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '%') continue;
    const bool answer = line.starts_with("= ") || line.starts_with("~ ");
    if (answer && !found.empty() && found.back().names.empty()) {
      std::istringstream words(line.substr(2));
      for (std::string name; words >> name;) found.back().names.push_back(name);
      continue;
    }
    for (std::size_t at = 0; (at = line.find(newline, at)) != std::string::npos;) {
      line.replace(at, newline.size(), "\n");
    }
    found.push_back({line, {}});
  }
  return found;
}

}  // namespace

TEST_CASE("every command that shfmt finds is found") {
  const std::vector<Snippet> all = snippets();
  REQUIRE(all.size() >= kFewestSnippets);
  for (const Snippet& snippet : all) {
    INFO(snippet.text);
    const auto parsed = parse(snippet.text);
    CHECK(tree_fault(parsed).empty());
    std::vector<std::string> ours = command_names(parsed.root);
    for (const std::string& name : snippet.names) {
      INFO(name);
      const auto place = std::find(ours.begin(), ours.end(), name);
      REQUIRE(place != ours.end());
      ours.erase(place);
    }
    // c9 stands where text only looks like a command.
    CHECK(std::find(ours.begin(), ours.end(), "c9") == ours.end());
  }
}

TEST_CASE("a prefix and a suffix of every snippet gives a sound tree") {
  for (const Snippet& snippet : snippets()) {
    const std::string_view text = snippet.text;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      INFO(text);
      INFO(at);
      REQUIRE(tree_fault(parse(text.substr(0, at))).empty());
      REQUIRE(tree_fault(parse(text.substr(at))).empty());
    }
  }
}
