// Runs every script of this folder as a tool of a host: whatever it does, the loop goes on turning.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"
#include "tests/support/source.h"

namespace gibbous {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

RuntimeOptions with_tool(const std::string& text) {
  RuntimeOptions options = testing::auto_mode();
  options.files["scripts/init.lua"] =
      "return { toolsets = { { name = 'x', tools = { tool { name = 'hostile', description = 'x',\n"
      "  permission = 'read', input = schema.object {}, run = function(args)\n" +
      text +
      "\nend }, tool { name = 'usual', description = 'x', permission = 'read',\n"
      "  input = schema.object {}, run = function(args) return 'as before' end } } } } }\n";
  // What cannot pause holds a turn so long, and then frees what it has made.
  options.files["config.lua"] = "return { lua = { call_ms = 150, hold_ms = 20 } }";
  return options;
}

TEST_CASE("no hostile script holds the loop of its host", "[measured]") {
  const testing::TempDir directory;
  const std::string turns = directory.path() + "/turns";  // see bindings/host/turn_watch.h
  ::setenv("GIBBOUS_TURN_WATCH", turns.c_str(), 1);
  int scripts = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(testing::source_path("tests/hostile"))) {
    if (file.path().extension() != ".lua") continue;
    ++scripts;
    INFO(file.path().filename().string());
    testing::Host host(with_tool(read(file.path())));
    const CallResult result = host.call("hostile", Json::object());
    INFO(result.text);
    CHECK(read(turns) == "");
    std::filesystem::remove(turns);
    CHECK(host.call("usual", Json::object()).text == "as before");
  }
  ::unsetenv("GIBBOUS_TURN_WATCH");
  CHECK(scripts > 80);
}

}  // namespace
}  // namespace gibbous
