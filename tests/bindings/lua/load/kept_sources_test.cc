// Scripts and policies that were loaded before and are kept in the state directory: when they
// count, and when not.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "bindings/lua/check/schema_check.h"
#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;

constexpr char kInit[] =
    "local words = require 'words'\n"
    "return { toolsets = { { name = 'greet', tools = { tool {\n"
    "  name = 'greet', description = words.text, permission = 'read',\n"
    "  input = schema.object { count = schema.integer { minimum = 1 } },\n"
    "  run = function() return words.text end } } } } }\n";
constexpr char kWords[] = "return { text = 'Says hello.' }\n";

// Scripts of one's own with a state directory. Files count as old at once.
struct Place {
  Place() {
    scripts.script("init.lua", kInit);
    scripts.script("words.lua", kWords);
    scripts.options.state_dir = scripts.dir.path() + "/state";
    scripts.options.settled = Nanos{0};
  }
  std::shared_ptr<lua::Generation> load() { return scripts.load(); }
  // Loads, and keeps what there is to keep. Returns whether anything was.
  bool load_and_keep() {
    const auto made = load();
    REQUIRE(made != nullptr);
    const auto keep = made->take_unkept();
    if (keep) keep();
    return keep != nullptr;
  }
  std::string said() {
    const auto made = load();
    return made == nullptr ? scripts.failure.errors.front().text()
                           : made->find("greet")->description;
  }
  std::string kept() const {
    for (const auto& file : fs::directory_iterator(scripts.options.state_dir + "/scripts"))
      return file.path().string();
    return "";
  }

  testing::Scripts scripts;
};

TEST_CASE("scripts that were loaded before are the same when they are loaded again") {
  Place place;
  const auto first = place.load();
  REQUIRE(first != nullptr);
  const auto keep = first->take_unkept();
  REQUIRE(keep);
  CHECK_FALSE(first->take_unkept());
  keep();
  const auto second = place.load();
  REQUIRE(second != nullptr);
  CHECK_FALSE(second->take_unkept());
  const lua::ToolDefinition& before = *first->find("greet");
  const lua::ToolDefinition& after = *second->find("greet");
  CHECK(after.description == "Says hello.");
  CHECK(after.input_schema == before.input_schema);
  CHECK(after.file == before.file);
  CHECK(second->files().size() == first->files().size());
  CHECK(second->watched().size() == first->watched().size());
  CHECK(second->policy().hash() == first->policy().hash());
}

TEST_CASE("arguments are checked alike by tools that were loaded before") {
  Place place;
  CHECK(place.load_and_keep());
  const auto made = place.load();
  REQUIRE(made != nullptr);
  const auto& check = *made->find("greet")->input_check;
  Json good = {{"count", 1}};
  CHECK(check.apply(good).ok());
  Json wrong = {{"count", 0}};
  CHECK(check.apply(wrong).message().find("args.count") != std::string::npos);
  Json unknown = {{"count", 1}, {"cuont", 1}};
  const auto fault = check.first_fault(unknown);
  REQUIRE(fault);
  CHECK(fault->place == "args.cuont");
}

TEST_CASE("a changed, new or missing script makes what was kept of all void") {
  Place place;
  CHECK(place.load_and_keep());
  CHECK_FALSE(place.load_and_keep());
  SECTION("a module changes") {
    place.scripts.script("words.lua", "return { text = 'Says good-bye.' }\n");
    CHECK(place.said() == "Says good-bye.");
    CHECK(place.load_and_keep());
    CHECK_FALSE(place.load_and_keep());
    CHECK(place.said() == "Says good-bye.");
  }
  SECTION("a module breaks") {
    place.scripts.script("words.lua", "return { text = \n");
    CHECK(place.said().find("words.lua") != std::string::npos);
  }
  SECTION("a module goes") {
    fs::remove(place.scripts.options.scripts_dir + "/words.lua");
    CHECK(place.said().find("module 'words' not found") != std::string::npos);
  }
  SECTION("a policy changes") {
    place.scripts.policy("init.lua", std::string(testing::kAllowAll) + "\n");
    CHECK(place.load_and_keep());
  }
  SECTION("a definition becomes wrong") {
    place.scripts.script("words.lua", "return { text = 7 }\n");
    CHECK(place.said().find("description") != std::string::npos);
  }
}

TEST_CASE("a module of one's own that comes before a shipped one is found") {
  Place place;
  fs::remove(place.scripts.options.scripts_dir + "/words.lua");
  place.scripts.dir.write("shipped/words.lua", kWords);
  place.scripts.options.shipped_scripts_dir = place.scripts.dir.path() + "/shipped";
  CHECK(place.load_and_keep());
  CHECK(place.said() == "Says hello.");
  place.scripts.script("words.lua", "return { text = 'Says moin.' }\n");
  CHECK(place.said() == "Says moin.");
}

TEST_CASE("new files are compared by their bytes, and kept again once they are old") {
  Place place;
  place.scripts.options.settled = std::chrono::hours(1);
  CHECK(place.load_and_keep());
  CHECK_FALSE(place.load_and_keep());
  place.scripts.script("words.lua", "return { text = 'Says aloha.' }\n");
  CHECK(place.said() == "Says aloha.");
  CHECK(place.load_and_keep());
  place.scripts.options.settled = Nanos{0};
  CHECK(place.load_and_keep());
  CHECK_FALSE(place.load_and_keep());
  CHECK(place.said() == "Says aloha.");
}

TEST_CASE("kept scripts that are not those that were written do not count") {
  Place place;
  CHECK(place.load_and_keep());
  std::ifstream file(place.kept(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  const auto write = [&](const std::string& bytes) {
    std::ofstream(place.kept(), std::ios::binary | std::ios::trunc) << bytes;
  };
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 20) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write(changed);
    CHECK(place.said() == "Says hello.");
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{20}, whole.size() / 2}) {
    write(whole.substr(0, size));
    CHECK(place.said() == "Says hello.");
  }
}

TEST_CASE("scripts that fail to load are not kept") {
  Place place;
  SECTION("a script") {
    place.scripts.script("words.lua", "error('no words', 0)\n");
    CHECK(place.said().find("no words") != std::string::npos);
  }
  SECTION("a policy that denies everything, because it is broken") {
    place.scripts.policy("init.lua", "return 7\n");
    const auto made = place.scripts.load(/*allow_broken_policy=*/true);
    REQUIRE(made != nullptr);
    CHECK_FALSE(made->take_unkept());
  }
  CHECK_FALSE(fs::exists(place.scripts.options.state_dir + "/scripts"));
}

TEST_CASE("what a process left half-written when it died goes once it is old") {
  Place place;
  CHECK(place.load_and_keep());
  const std::string directory = place.scripts.options.state_dir + "/scripts";
  std::ofstream(directory + "/.old") << "a part";
  std::ofstream(directory + "/.new") << "a part";
  fs::last_write_time(directory + "/.old",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  place.scripts.script("words.lua", "return { text = 'Says more.' }\n");
  CHECK(place.load_and_keep());
  CHECK_FALSE(fs::exists(directory + "/.old"));
  CHECK(fs::exists(directory + "/.new"));
}

TEST_CASE("without a state directory nothing is kept") {
  Place place;
  place.scripts.options.state_dir.clear();
  CHECK_FALSE(place.load_and_keep());
}

}  // namespace
}  // namespace gibbous
