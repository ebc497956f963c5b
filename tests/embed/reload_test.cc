// Scripts that change on disk while the host goes on: the next generation is read on a thread of
// its own, and what the host does meanwhile counts.
#include <optional>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

// A tool `edition` with this body, and what is run while the file is loaded.
std::string script(const std::string& body, const std::string& at_load = "") {
  return at_load +
         "\nreturn { toolsets = { { name = 'mine', tools = { tool { name = 'edition',"
         " description = 'Says which.', permission = 'read', run = function() " +
         body + " end } } } } }";
}

struct Scripted {
  explicit Scripted(const std::string& first, RuntimeOptions options = auto_mode()) {
    scripts.write("init.lua", first);
    options.scripts_dir = scripts.path();
    options.watch_files = true;
    host.emplace(std::move(options));
  }
  std::string edition() { return host->call("edition", Json::object()).text; }
  bool becomes(const std::string& text) {
    return host->until([&] { return edition() == text; });
  }

  TempDir scripts;
  std::optional<Host> host;
};

TEST_CASE("reload: a changed file takes effect while calls go on, and the new scripts can do all") {
  Scripted world(script("return 'first'"));
  CHECK(world.edition() == "first");
  world.scripts.write("init.lua", script("local h = run.start { argv = { 'true' } }"
                                         " return 'second ' .. #run.list() .. ' ' .. #h.id"));
  CHECK(world.becomes("second 1 8"));
  CHECK(world.host->saw_event("reload_ok"));
  CHECK(world.host->runtime->generation() == 2);
}

TEST_CASE("reload: a script that needs the runtime while it loads is loaded all the same") {
  Scripted world(script("return 'first'"));
  world.scripts.write("init.lua",
                      script("return 'second, ' .. seen .. ' runs'", "local seen = #run.list()"));
  CHECK(world.becomes("second, 0 runs"));
  world.scripts.write("init.lua", script("return tostring(good)", "local good = pcall(run.list)"));
  CHECK(world.becomes("true"));
}

TEST_CASE("reload: a broken script leaves the old ones in force, and says where it is broken") {
  Scripted world(script("return 'first'"));
  world.scripts.write("init.lua", "local x = 1\nerror('not like this')\n");
  REQUIRE(world.host->until([&] { return world.host->saw_event("reload_failed"); }));
  const Json event = Json::parse(world.host->events.back().json);
  CHECK(event["line"] == 2);
  CHECK_THAT(event["message"].get<std::string>(), Contains("not like this"));
  CHECK(world.edition() == "first");
  world.scripts.write("init.lua", script("return 'mended'"));
  CHECK(world.becomes("mended"));
}

TEST_CASE("reload: a tool that the host adds meanwhile is there, and so is the change") {
  for (int round = 0; round < 5; ++round) {
    Scripted world(script("return 'first'"));
    world.scripts.write("init.lua", script("return 'second'"));
    world.host->runtime->wait(std::chrono::milliseconds(round * 60));
    HostTool tool;
    tool.name = "beep";
    tool.description = "Beeps.";
    tool.permission = "read";
    tool.handler = [](const ToolCall& call) {
      ToolAnswer answer;
      answer.text = "beep";
      call.reply(answer);
    };
    REQUIRE(world.host->runtime->add_tool(tool).ok());
    CHECK(world.becomes("second"));
    CHECK(world.host->call("beep", Json::object()).text == "beep");
  }
}

TEST_CASE("reload: a runtime may be closed in the middle of one") {
  for (int round = 0; round < 8; ++round) {
    Scripted world(script("return 'first'"));
    world.scripts.write("init.lua", script("return 'second'"));
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(145 + 5 * round);
    while (std::chrono::steady_clock::now() < end) {
      world.host->runtime->wait(std::chrono::milliseconds(1));
    }
    bool closed = false;
    world.host->runtime->close([&] { closed = true; });
    CHECK(world.host->until([&] { return closed; }));
  }
}

TEST_CASE("reload: changes one after another end with the last one") {
  Scripted world(script("return 'first'"));
  for (int edition = 0; edition < 30; ++edition) {
    world.scripts.write("init.lua", script("return 'edition " + std::to_string(edition) + "'"));
    world.host->runtime->wait(std::chrono::milliseconds(10));
  }
  CHECK(world.becomes("edition 29"));
}

}  // namespace
}  // namespace gibbous
