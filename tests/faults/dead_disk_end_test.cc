// The end of a runtime whose disk has died: it comes in time, says what may be missing, and ends
// the runs. Threads that hang there are given up and end with the disk's answer.
#include <signal.h>
#include <uv.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/host.h"
#include "tests/support/remote_disk.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::Conversation;
using testing::Host;
using testing::Loop;
using testing::ProgramSpec;
using testing::RemoteDisk;
using testing::TempDir;

constexpr const char* kLogged =
    "return { toolsets = { require 'toolsets.bg', require 'toolsets.wait',\n"
    "{ name = 'x', tools = { tool { name = 'logged',\n"
    "  description = 'Starts a run with a log.', permission = 'execute',\n"
    "  input = schema.object { command = schema.string {}, path = schema.string {} },\n"
    "  run = function(args)\n"
    "    local h, err = run.start { command = args.command, log = { path = args.path },\n"
    "                               detach = true }\n"
    "    if not h then tool.error(err.code, err.message) end\n"
    "    return 'started'\n"
    "  end } } } } }\n";

// Where the state directory, the log, or both lie on the disk that dies.
struct Place {
  bool state = false;
  bool log = false;
  const char* command = "";
};

// With the path of its program: a shell looks at its directory as it searches for one.
constexpr const char* kQuiet = "echo one; exec /bin/sleep 1000 ";
constexpr const char* kFlood =
    "while :; do echo 0123456789012345678901234567890123456789; done; : ";

// However a test ends, its disk answers before what waits for it is destroyed.
struct Revival {
  explicit Revival(RemoteDisk& dead) : disk(dead) {}
  ~Revival() { disk.live(); }
  Revival(const Revival&) = delete;
  Revival& operator=(const Revival&) = delete;
  RemoteDisk& disk;
};

struct DyingDesk {
  explicit DyingDesk(const Place& where) : place(where) {
    if (!disk.mounted()) WARN("not tested: " + disk.said());
  }
  RuntimeOptions options() const {
    RuntimeOptions made = testing::auto_mode();
    made.mode = "dangerous";
    made.files["scripts/init.lua"] = kLogged;
    made.state_dir = place.state ? disk.path("state") : dir.path() + "/state";
    made.workspace = place.log ? disk.directory() : dir.path();
    return made;
  }
  std::string log() const { return place.log ? disk.path("log") : dir.path() + "/log"; }
  // Says that it has begun in a file on a local disk.
  std::string command() const { return "echo > '" + begun() + "'; " + place.command + needle(); }
  std::string begun() const { return dir.path() + "/begun"; }
  // A shell looks at its directory as it starts: one that the disk catches there cannot be killed,
  // and tells nothing about the runtime.
  bool started() const { return std::filesystem::exists(begun()) && running(); }
  // A command of Gibbous whose state directory lies on the disk.
  ProgramSpec program(const std::string& name) {
    dir.write("scripts/init.lua", kLogged);
    ProgramSpec spec;
    spec.argv = {testing::command_path(), name,      "--mode",           "dangerous",   "--scripts",
                 dir.path() + "/scripts", "--state", disk.path("state"), "--workspace", dir.path()};
    return spec;
  }
  bool running() const { return !testing::processes_with(needle()).empty(); }
  std::string needle() const {
    return place.command == std::string(kQuiet) ? tag.substr(1) : tag;  // a number
  }

  const Place place;
  RemoteDisk disk;
  TempDir dir;
  const std::string tag = testing::unique_word();
};

const Place kPlaces[] = {{true, false, kQuiet}, {false, true, kQuiet}, {true, true, kQuiet},
                         {true, false, kFlood}, {false, true, kFlood}, {true, true, kFlood}};

std::string name_of(const Place& place) {
  return std::string(place.state ? "state " : "") + (place.log ? "log " : "") +
         (place.command == std::string(kFlood) ? "in a flood" : "quiet");
}

TEST_CASE(
    "dead disk: a runtime with a loop of its own is closed in time, and says what is missing") {
  for (const Place& place : kPlaces) {
    DYNAMIC_SECTION(name_of(place)) {
      DyingDesk desk(place);
      if (!desk.disk.mounted()) return;
      Host host(desk.options());
      const Revival revival(desk.disk);  // threads that were given up end then
      REQUIRE(host.call("logged", {{"command", desk.command()}, {"path", desk.log()}}).ok);
      REQUIRE(host.until([&] { return desk.started(); }));
      desk.disk.die();
      // Something hangs there by now, or will.
      REQUIRE(host.until([&] {
        (void)host.call("bg_status", Json::object());
        return desk.disk.holds_requests() || place.command == std::string(kQuiet);
      }));
      bool closed = false;
      host.runtime->close([&] { closed = true; });
      REQUIRE(host.until([&] { return closed; }));
      const Status problem = host.runtime->end_problem();
      INFO(problem.message());
      if (place.command == std::string(kFlood)) {
        REQUIRE_FALSE(problem);
        CHECK(problem.code() == "path_unanswered");
        CHECK_THAT(problem.message(), Contains("does not answer"));
        if (place.state) CHECK_THAT(problem.message(), Contains("state_dir"));
        if (place.log) CHECK_THAT(problem.message(), Contains(desk.log()));
      }
      Loop loop;
      CHECK(loop.until([&] { return !desk.running(); }));
      host.runtime.reset();
    }
  }
}

TEST_CASE("dead disk: a runtime on the loop of its host holds nothing of it after the close") {
  for (const Place& place : kPlaces) {
    DYNAMIC_SECTION(name_of(place)) {
      DyingDesk desk(place);
      if (!desk.disk.mounted()) return;
      uv_loop_t loop;
      REQUIRE(uv_loop_init(&loop) == 0);
      RuntimeOptions options = desk.options();
      options.loop = &loop;
      auto created = Runtime::create(options);
      REQUIRE(created.ok());
      auto runtime = std::move(*created);
      bool started = false;
      runtime->call({"logged", Json{{"command", desk.command()}, {"path", desk.log()}}.dump()},
                    [&](const CallResult& result) { started = result.ok; });
      uv_run(&loop, UV_RUN_DEFAULT);
      REQUIRE(started);
      Loop other;
      REQUIRE(other.until([&] { return desk.started(); }));
      desk.disk.die();
      bool closed = false;
      runtime->close([&] { closed = true; });
      uv_run(&loop, UV_RUN_DEFAULT);
      CHECK(closed);
      CHECK(uv_loop_close(&loop) == 0);
      CHECK(other.until([&] { return !desk.running(); }));
      runtime.reset();
      desk.disk.live();
    }
  }
}

TEST_CASE("dead disk: nothing touches a runtime that was destroyed there once the disk answers") {
  DyingDesk desk({true, false, kFlood});
  if (!desk.disk.mounted()) return;
  const Json logged = {{"command", desk.command()}, {"path", desk.log()}};
  {
    Host host(desk.options());
    REQUIRE(host.call("logged", logged).ok);
    REQUIRE(host.until([&] { return desk.started(); }));
    desk.disk.die();
    // Behind what hangs there wait the looks at the queue, whose answers are for the runtime.
    REQUIRE(host.until([&] {
      (void)host.call("bg_status", Json::object());
      return desk.disk.holds_requests();
    }));
  }
  Loop loop;
  CHECK(loop.until([&] { return !desk.running(); }));
  desk.disk.live();
  Host next(desk.options());
  CHECK(next.call("bg_status", Json::object()).ok);
  // The journal is free once the thread of the first runtime has answered all that waited.
  CHECK(next.until([&] { return next.call("logged", logged).ok; }));
}

// `gibbous session` and `gibbous mcp` with a dead state directory.
TEST_CASE("dead disk: a session ends its runs and closes its output, and says what is missing") {
  DyingDesk desk({true, false, kFlood});
  if (!desk.disk.mounted()) return;
  const ProgramSpec spec = desk.program("session");
  Loop loop;
  Conversation session(spec);
  REQUIRE(session.call("logged", {{"command", desk.command()}, {"path", desk.log()}})
              .contains("result"));
  REQUIRE(loop.until([&] { return desk.started(); }));
  desk.disk.die();
  REQUIRE(loop.until([&] { return desk.disk.holds_requests(); }));
  SECTION("the input ends") {
    session.program().close_stdin();
  }
  SECTION("SIGTERM") {
    session.program().send_signal(SIGTERM);
  }
  while (session.program().read_line()) {
  }
  CHECK(loop.until([&] { return !desk.running(); }));
  desk.disk.live();
  const auto end = session.program().wait();
  REQUIRE(end);
  CHECK(end->code == 0);
}

TEST_CASE("dead disk: an MCP server ends its runs and leaves in time, and says what is missing") {
  DyingDesk desk({true, false, kFlood});
  if (!desk.disk.mounted()) return;
  const ProgramSpec spec = desk.program("mcp");
  Loop loop;
  testing::Program server(spec);
  const auto ask = [&server](int id, const std::string& method, const Json& params) {
    server.write_line(
        Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump());
    for (auto line = server.read_line(); line; line = server.read_line()) {
      const Json answer = Json::parse(*line);
      if (answer.value("id", 0) == id) return answer;
    }
    return Json::object();
  };
  REQUIRE(ask(1, "initialize",
              {{"protocolVersion", "2025-06-18"},
               {"capabilities", Json::object()},
               {"clientInfo", {{"name", "test"}, {"version", "1"}}}})
              .contains("result"));
  server.write_line(Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}.dump());
  const Json started =
      ask(2, "tools/call",
          {{"name", "logged"}, {"arguments", {{"command", desk.command()}, {"path", desk.log()}}}});
  INFO(started.dump());
  REQUIRE(started.contains("result"));
  REQUIRE(loop.until([&] { return desk.started(); }));
  desk.disk.die();
  // Until the disk holds the journal; others ask it, too.
  std::string said;
  REQUIRE(loop.until([&] {
    said = ask(3, "tools/call", {{"name", "bg_output"}, {"arguments", {{"id", "unknown"}}}}).dump();
    return said.find("Function not implemented") == std::string::npos;
  }));
  INFO(said);
  SECTION("the input ends") {
    server.close_stdin();
  }
  SECTION("SIGTERM") {
    server.send_signal(SIGTERM);
  }
  // The end of its output is the end for its client, whatever a thread waits for.
  while (server.read_line()) {
  }
  CHECK_THAT(server.stderr_text(), Contains("path_unanswered: state_dir"));
  CHECK_THAT(server.stderr_text(), Contains(desk.disk.path("state")));
  CHECK_THAT(server.stderr_text(), Contains("may be missing"));
  CHECK(loop.until([&] { return !desk.running(); }));
  desk.disk.live();
  const auto end = server.wait();
  REQUIRE(end);
  CHECK(end->code == 0);
}

// Nothing watches over its end as over that of a server whose client goes.
TEST_CASE("dead disk: an MCP server that has answered all of a file ends its runs and leaves") {
  DyingDesk desk({true, false, kFlood});
  if (!desk.disk.mounted()) return;
  const std::string go = desk.dir.path() + "/go";
  const Json client = {{"protocolVersion", "2025-06-18"},
                       {"capabilities", Json::object()},
                       {"clientInfo", {{"name", "test"}, {"version", "1"}}}};
  const Json run = {{"command", desk.command()}, {"path", desk.log()}};
  const Json wait = {{"file", go}, {"timeout", 600'000}};
  std::string requests;
  for (const Json& each : {Json{{"id", 1}, {"method", "initialize"}, {"params", client}},
                           Json{{"method", "notifications/initialized"}},
                           Json{{"id", 2},
                                {"method", "tools/call"},
                                {"params", {{"name", "logged"}, {"arguments", run}}}},
                           Json{{"id", 3},
                                {"method", "tools/call"},
                                {"params", {{"name", "wait_for"}, {"arguments", wait}}}}}) {
    Json message = each;
    message["jsonrpc"] = "2.0";
    requests += message.dump() + "\n";
  }
  ProgramSpec spec = desk.program("mcp");
  const std::vector<std::string> shell = {
      "/bin/sh", "-c", "exec \"$@\" < '" + desk.dir.write("requests", requests) + "'", "sh"};
  spec.argv.insert(spec.argv.begin(), shell.begin(), shell.end());
  Loop loop;
  testing::Program server(spec);
  std::vector<int> answered;
  const auto hear = [&](std::size_t count) {
    while (answered.size() < count) {
      const auto line = server.read_line();
      if (!line) return false;
      const Json message = Json::parse(*line);
      if (message.contains("id")) answered.push_back(message["id"]);
    }
    return true;
  };
  REQUIRE(loop.until([&] { return desk.started(); }));
  desk.disk.die();  // in the middle of the first call of its session, or soon after
  REQUIRE(loop.until([&] { return desk.disk.holds_requests(); }));
  desk.dir.write("go", "");
  CHECK_FALSE(hear(4));  // the output ends with the third
  CHECK(answered == std::vector<int>{1, 2, 3});
  CHECK(loop.until([&] { return !desk.running(); }));
  desk.disk.live();
  const auto end = server.wait();
  REQUIRE(end);
  CHECK(end->code == 0);
}

}  // namespace
}  // namespace gibbous
