// Events that come with a result: none repeats the result, none is about a foreground run, and a
// failure has the lines that explain it.
#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::auto_mode;
using testing::Host;

// Calls the tool like an MCP server, in the session "s".
CallResult call(Host& host, const std::string& tool, const Json& arguments) {
  std::optional<CallResult> result;
  CallRequest request{tool, arguments.dump(), "s"};
  request.wants_backlog = true;
  host.runtime->call(request, [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return result.has_value(); }));
  return *result;
}

std::string start(Host& host, const std::string& command) {
  return Json::parse(call(host, "bg_start", {{"command", command}}).data)["id"];
}

TEST_CASE("an end that wait_for reports is not reported again") {
  Host host(auto_mode());
  const std::string id = start(host, "exit 3");
  const CallResult waited = call(host, "wait_for", {{"id", id}, {"exit", true}});
  REQUIRE(waited.ok);
  CHECK(waited.backlog.empty());
  CHECK(call(host, "bg_status", Json::object()).backlog.empty());
}

TEST_CASE("an end that makes a wait fail is not reported again") {
  Host host(auto_mode());
  const std::string id = start(host, "exit 3");
  const CallResult waited = call(host, "wait_for", {{"id", id}, {"output_regex", "never"}});
  REQUIRE(waited.code == "cannot_happen");
  CHECK(waited.backlog.empty());
  CHECK(call(host, "bg_status", Json::object()).backlog.empty());
}

TEST_CASE("a kill suppresses the event about the end of its run") {
  Host host(auto_mode());
  const std::string id = start(host, "sleep 600");
  CHECK(call(host, "bg_kill", {{"id", id}}).backlog.empty());
  CHECK(call(host, "bg_status", Json::object()).backlog.empty());
}

TEST_CASE("the end of another run is reported, with the lines that explain a failure") {
  Host host(auto_mode());
  const std::string id = start(host, "sleep 600");
  const std::string other = start(host, "seq 3000; echo FATAL: lost the database >&2; exit 1");
  std::vector<std::string> events;
  while (events.empty()) {
    const CallResult looked = call(host, "bg_status", {{"id", id}});
    events.insert(events.end(), looked.backlog.begin(), looked.backlog.end());
  }
  REQUIRE(events.size() == 1);
  const Json event = Json::parse(events[0]);
  CHECK(event["run"] == other);
  CHECK(event["errors"] ==
        "stderr:\nFATAL: lost the database\nstdout:\n2998-2998\n2999-2999\n3000-3000\n");
}

TEST_CASE("a run that a result shows as running is reported when it ends") {
  Host host(auto_mode());
  const testing::TempDir dir;
  const std::string gate = dir.path() + "/gate";
  REQUIRE(::mkfifo(gate.c_str(), 0600) == 0);
  const std::string id = start(host, "read line < " + gate + "; exit 4");
  CHECK(call(host, "wait_for", {{"id", id}, {"timer_ms", 1}}).backlog.empty());
  std::ofstream(gate) << "go\n";
  std::vector<std::string> events;
  while (events.empty()) {
    // An answer that is about no run itself, so that only events tell of the end.
    const CallResult looked = call(host, "bg_output", {{"id", "nobody"}});
    events.insert(events.end(), looked.backlog.begin(), looked.backlog.end());
  }
  CHECK(Json::parse(events[0])["exit_code"] == 4);
}

TEST_CASE("a result has no events from the watchers of a foreground run") {
  Host host(testing::with_shell());
  const CallResult ran = call(
      host, "shell",
      {{"command", "echo ready to go"}, {"watch", {{{"regex", "ready"}, {"event", "ready"}}}}});
  INFO(ran.message);
  REQUIRE(ran.ok);
  CHECK(ran.backlog.empty());
}

constexpr const char* kOwnTools = R"(
local function checks(name, detach)
  return tool {
    name = name, description = 'Runs a command of its own.', permission = 'execute',
    run = function()
      local handle = run.start { command = 'echo checked; exit 3', detach = detach }
      handle:wait { any = { wait.exit(handle) } }
      return 'checked'
    end,
  }
end
local through = tool {
  name = 'through', description = 'Calls another tool.', permission = 'execute',
  run = function()
    return tool.call('own', {}).text
  end,
}
local missing = tool {
  name = 'missing', description = 'Starts what is not there.', permission = 'execute',
  run = function()
    local handle, err = run.start { argv = { '/not/there' }, detach = true }
    return err.message
  end,
}
return { toolsets = { require 'toolsets.bg', {
  name = 'mine', tools = { checks('own', false), checks('left', true), through, missing },
} } }
)";

TEST_CASE("a run that a tool started for itself is not told, and one that it left is") {
  const testing::TempDir dir;
  dir.write("init.lua", kOwnTools);
  RuntimeOptions options = auto_mode();
  options.scripts_dir = dir.path();
  options.state_dir = dir.path() + "/state";
  Host host(options);
  for (const char* tool : {"own", "through", "missing"}) {
    const CallResult ran = call(host, tool, Json::object());
    INFO(tool << ": " << ran.message << ran.text);
    REQUIRE(ran.ok);
    CHECK(ran.backlog.empty());
    CHECK(call(host, "bg_status", {{"id", "nobody"}}).backlog.empty());
  }
  CHECK(call(host, "left", Json::object()).backlog.size() == 1);
}

}  // namespace
}  // namespace gibbous
