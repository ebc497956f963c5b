// Compiled scripts are kept for the next process while a host is idle.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;

using testing::Host;
using testing::TempDir;

struct Place {
  Place() {
    dir.write("scripts/init.lua", "return { toolsets = { require 'greet' } }\n");
    say("hello");
    options = testing::auto_mode();
    options.scripts_dir = dir.path() + "/scripts";
    options.state_dir = dir.path() + "/state";
  }
  void say(const std::string& word) const {
    dir.write("scripts/greet.lua",
              "return { name = 'greet', tools = { tool {\n"
              "  name = 'greet', description = 'Says " +
                  word +
                  "', permission = 'read',\n"
                  "  input = schema.object { count = schema.integer { minimum = 1 } },\n"
                  "  run = function(args) return { data = { said = '" +
                  word +
                  "', count = args.count } }\n"
                  "  end } } }\n");
  }
  bool is_kept() const {
    std::error_code missing;
    for (const auto& file : fs::directory_iterator(options.state_dir + "/scripts", missing)) {
      if (file.path().filename().string().front() != '.') return true;
    }
    return false;
  }

  TempDir dir;
  RuntimeOptions options;
};

TEST_CASE("an idle host keeps its compiled scripts, and the next one offers and does the same") {
  Place place;
  std::vector<ToolInfo> before;
  {
    Host host(place.options);
    before = host.runtime->tools();
    REQUIRE(host.until([&] { return place.is_kept(); }));
  }
  Host host(place.options);
  const std::vector<ToolInfo> after = host.runtime->tools();
  REQUIRE(after.size() == before.size());
  for (std::size_t at = 0; at < after.size(); ++at) {
    CHECK(after[at].name == before[at].name);
    CHECK(after[at].description == before[at].description);
    CHECK(after[at].input_schema == before[at].input_schema);
  }
  CHECK(host.data("greet", {{"count", 2}}) == Json{{"said", "hello"}, {"count", 2}});
  const CallResult wrong = host.call("greet", {{"count", 0}});
  CHECK(wrong.code == "invalid_arguments");
  CHECK(wrong.message.find("args.count") != std::string::npos);
}

TEST_CASE("a host that runs kept scripts reloads one that changes") {
  Place place;
  {
    Host host(place.options);
    REQUIRE(host.until([&] { return place.is_kept(); }));
  }
  Host host(place.options);
  CHECK(host.data("greet", {{"count", 1}})["said"] == "hello");
  place.say("aloha");
  REQUIRE(host.runtime->reload().ok);
  CHECK(host.data("greet", {{"count", 1}})["said"] == "aloha");
  place.dir.write("scripts/greet.lua", "return\n\n= 7\n");
  const ReloadResult broken = host.runtime->reload();
  CHECK_FALSE(broken.ok);
  CHECK(broken.line == 3);
  CHECK(host.data("greet", {{"count", 1}})["said"] == "aloha");
}

TEST_CASE(
    "a host that ends before it was idle keeps nothing, and the next one starts all the same") {
  Place place;
  for (int times = 0; times < 2; ++times) {
    Host host(place.options);
    CHECK_FALSE(place.is_kept());
    CHECK(host.data("greet", {{"count", 1}})["said"] == "hello");
  }
}

}  // namespace
}  // namespace gibbous
