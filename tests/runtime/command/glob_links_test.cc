// Patterns and the links that they match, in trees of any size.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "runtime/command/analyse.h"
#include "runtime/command/path_map.h"
#include "tests/runtime/command/differential/by_hand.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

// A workspace of directories without a link, but for those of `links`: each leads out.
class Tree {
 public:
  explicit Tree(std::size_t wide, std::vector<std::string> links = {}) {
    place_.workspace = place_.cwd = "/ws";
    place_.home = "/home/u";
    const auto plain = [](const std::string& path) {
      const std::string normal = std::filesystem::path(path + "/").lexically_normal().string();
      return normal.substr(0, normal.size() - 1);
    };
    const auto leads_out = [links, plain](const std::string& path) {
      return std::any_of(links.begin(), links.end(), [&](const std::string& link) {
        return plain(path) == link || plain(path).rfind(link + "/", 0) == 0;
      });
    };
    place_.resolve = [leads_out, plain](const std::string& path) {
      return std::optional<std::string>(leads_out(path) ? "/elsewhere" : plain(path));
    };
    place_.list = [leads_out, wide](const std::string& path) {
      std::vector<DirectoryEntry> all;
      for (std::size_t at = 0; at < wide; ++at) {
        const std::string name = "d" + std::to_string(at);
        all.push_back({name, leads_out(path + "/" + name), true});
      }
      return all;
    };
    place_.map = PathMap::create(*knowledge_, place_);
  }

  Facts facts(const std::string& line) const { return analyse(line, place_, *knowledge_); }

 private:
  std::shared_ptr<const Knowledge> knowledge_ = testing::by_hand();
  Place place_;
};

bool touches(const Facts& facts, PathClasses classes) {
  for (const SimpleCommand& command : facts.commands) {
    for (const Access& access : command.accesses) {
      if ((access.classes & classes) != 0) return true;
    }
  }
  return false;
}

TEST_CASE("a pattern over a large tree leaves one path unknown, and the line is judged") {
  const Tree tree(3000);
  for (const char* line :
       {"cat -- */*/f", "rm -f */*/*/f", "cat -- d1*/*/*", "cat */* */*/* */f"}) {
    INFO(line);
    const Facts facts = tree.facts(line);
    CHECK(facts.doubts.empty());
    REQUIRE(facts.commands.size() == 1);
    CHECK(touches(facts, kUnknownPath));
  }
}

TEST_CASE("a pattern over a tree of a usual size is known") {
  const Tree tree(30);
  const Facts facts = tree.facts("cat -- */*/f");
  CHECK(facts.doubts.empty());
  CHECK_FALSE(touches(facts, kUnknownPath | kOutside));
}

TEST_CASE("links are not followed when they are removed themselves") {
  const Tree tree(3, {"/ws/d1"});
  CHECK_FALSE(touches(tree.facts("rm -rf *"), kOutside | kUnknownPath));
  CHECK(touches(tree.facts("rm -rf d*/"), kOutside));  // so does find d*/ -delete
  CHECK(touches(tree.facts("rm -rf */x"), kOutside));
  CHECK(touches(tree.facts("cat *"), kOutside));
}

TEST_CASE("a link behind a list of dots is found") {
  const Tree tree(3, {"/ws/a/d1"});
  CHECK(touches(tree.facts("cat -- a/@(.|..)/d*"), kOutside));
  CHECK_FALSE(touches(Tree(3).facts("cat -- a/@(.|x)/d*"), kOutside));
}

}  // namespace
}  // namespace gibbous::command
