// Scripts that never end: in a tool, in a policy, in a file that is reloaded. The call or the load
// fails with file and line; everything else goes on.
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::Host;
using testing::TempDir;

constexpr const char* kTools = R"(
local spin = tool {
  name = 'spin', description = 'Never ends.', permission = 'read', input = schema.object {},
  run = function()
    while true do end
  end,
}
local echo = tool {
  name = 'echo', description = 'Gives back its text.', permission = 'read',
  input = schema.object { text = schema.string {} },
  run = function(args) return args.text end,
}
return { toolsets = { require 'toolsets.bg', require 'toolsets.wait', { name = 'test', tools = { spin, echo } } } }
)";

RuntimeOptions with(const TempDir& directory) {
  RuntimeOptions options = testing::auto_mode();
  directory.write("scripts/init.lua", kTools);
  options.scripts_dir = directory.path() + "/scripts";
  return options;
}

TEST_CASE("a tool that never ends fails with its file and line, while other calls are answered") {
  TempDir directory;
  Host host(with(directory));
  std::string code;
  std::string message;
  host.runtime->call({"spin", "{}"}, [&](const CallResult& result) {
    code = result.code;
    message = result.message;
  });
  int echoed = 0;
  while (code.empty() && echoed < 10'000) {
    REQUIRE(host.call("echo", {{"text", "x"}}).text == "x");
    ++echoed;
  }
  INFO(message);
  REQUIRE(code == "budget_exceeded");
  REQUIRE(message.find("init.lua:5") != std::string::npos);
  // They took turns: the runaway had the loop for one slice at a time.
  REQUIRE(echoed > 10);
}

TEST_CASE("a policy that never ends denies with its file and line") {
  TempDir directory;
  RuntimeOptions options = with(directory);
  directory.write("policies/init.lua", R"(
return {
  modes = { auto = {} },
  decide = function(effect)
    if effect.tool == 'echo' then return { decision = 'allow', reason = 'fine', rule = 'test' } end
    while true do end
  end,
}
)");
  options.policies_dir = directory.path() + "/policies";
  Host host(options);
  const CallResult denied = host.call("bg_start", {{"command", "true"}});
  INFO(denied.message);
  REQUIRE(denied.code == "denied");
  REQUIRE(denied.message.find("init.lua:6") != std::string::npos);
  REQUIRE(host.call("echo", {{"text", "still here"}}).text == "still here");
}

TEST_CASE("a file without an end is not loaded, and the old tools keep working") {
  TempDir directory;
  Host host(with(directory));
  const std::uint64_t before = host.runtime->generation();
  directory.write("scripts/init.lua", "local x = 1\nwhile true do end\n");
  const ReloadResult result = host.runtime->reload();
  INFO(result.message);
  REQUIRE(!result.ok);
  REQUIRE(result.line == 2);
  REQUIRE(result.file.find("init.lua") != std::string::npos);
  REQUIRE(host.runtime->generation() == before);
  REQUIRE(host.call("echo", {{"text", "old"}}).text == "old");
}

TEST_CASE("a broken script saved while calls are in flight changes nothing until it is fixed") {
  TempDir directory;
  RuntimeOptions options = with(directory);
  options.watch_files = true;
  Host host(options);
  const std::string id = host.start("exec sleep 600");
  std::string waited;
  host.runtime->call({"wait_for", Json{{"id", id}, {"exit", true}}.dump()},
                     [&](const CallResult& result) { waited = result.text + result.message; });
  host.runtime->poll();
  directory.write("scripts/init.lua", "return {\n  toolsets = {{{\n");
  REQUIRE(host.until([&] { return host.saw_event("reload_failed"); }));
  REQUIRE(host.events.back().json.find("init.lua") != std::string::npos);
  REQUIRE(host.call("echo", {{"text", "old"}}).text == "old");
  std::string mended = kTools;
  mended.replace(mended.find("return args.text"), 16, "return 'new ' .. args.text");
  directory.write("scripts/init.lua", mended);
  REQUIRE(host.until([&] { return host.saw_event("reload_ok"); }));
  REQUIRE(host.call("echo", {{"text", "tools"}}).text == "new tools");
  REQUIRE(waited.empty());  // the call of the old generation still waits
  host.call("bg_kill", {{"id", id}});
  REQUIRE(host.until([&] { return !waited.empty(); }));
  INFO(waited);
  REQUIRE(waited.find(id) != std::string::npos);
}

TEST_CASE("a runtime whose policy is broken starts, denies everything and gives the reason") {
  TempDir directory;
  RuntimeOptions options = with(directory);
  directory.write("policies/init.lua", "return {\n  nonsense\n  nonsense\n}\n");
  options.policies_dir = directory.path() + "/policies";
  Host host(options);
  REQUIRE(host.runtime->policy_error().find("init.lua") != std::string::npos);
  const CallResult denied = host.call("echo", {{"text", "x"}});
  REQUIRE(denied.code == "denied");
  REQUIRE(denied.message.find("init.lua") != std::string::npos);
}

}  // namespace
}  // namespace gibbous
