// The toolsets that ship, over a real runtime: what each costs a model, that they can be loaded
// together, and what becomes of their calls when somebody cancels, reloads or ends in the middle.
// What they answer is shown by tests/seeds.
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

constexpr std::size_t kMaxToolListBytes = std::size_t{8} << 10;
const std::vector<std::string> kToolsets = {"bg",      "wait",       "shell",   "safe_shell",
                                            "process", "background", "services"};

RuntimeOptions with_toolsets(std::vector<std::string> toolsets, const TempDir& dir) {
  RuntimeOptions options = auto_mode();
  options.toolsets = std::move(toolsets);
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  return options;
}

std::vector<std::string> tools_of(Host& host) {
  std::vector<std::string> names;
  for (const ToolInfo& tool : host.runtime->tools()) names.push_back(tool.name);
  return names;
}

TEST_CASE("the tools of any one toolset are described in 8 KiB") {
  for (const std::string& name : kToolsets) {
    const TempDir dir;
    Host host(with_toolsets({name}, dir));
    const std::string list = host.runtime->tools_json(ToolFormat::kMcp);
    INFO(name << ": " << list.size() << " bytes");
    CHECK(list.size() < kMaxToolListBytes);
    CHECK(Json::parse(list).size() == tools_of(host).size());
  }
}

TEST_CASE("all shipped toolsets can be loaded together") {
  const TempDir dir;
  Host host(with_toolsets(kToolsets, dir));
  CHECK(tools_of(host).size() == 4 + 1 + 1 + 1 + 1 + 9 + 1);
}

TEST_CASE("optional toolsets are not loaded by default") {
  const TempDir dir;
  Host host(with_toolsets({}, dir));
  CHECK(tools_of(host) == std::vector<std::string>{"bg_kill", "bg_output", "bg_start", "bg_status",
                                                   "shell", "wait_for"});
}

TEST_CASE("a call that waits is cancelled with what it started") {
  const std::vector<std::pair<std::string, Json>> kCalls = {
      {"safe_shell", {{"command", "sleep"}, {"args", {"60"}}, {"keep_alive", 60}}},
      {"run_cmd", {{"cmd", "sleep 60"}}},
      {"run_test", {{"command", "sleep 60"}}},
  };
  for (const auto& [tool, args] : kCalls) {
    const TempDir dir;
    Host host(with_toolsets({"safe_shell", "background"}, dir));
    CallResult answer;
    bool done = false;
    const CallId call = host.runtime->call({tool, args.dump(), ""}, [&](CallResult result) {
      answer = std::move(result);
      done = true;
    });
    REQUIRE(host.until([&] { return host.saw_event("run_started"); }));
    REQUIRE(host.runtime->cancel(call));
    REQUIRE(host.until([&] { return done && host.saw_event("run_ended"); }));
    CHECK(answer.code == "cancelled");
  }
}

TEST_CASE("a wait survives a reload, and its processes count in the new generation") {
  const TempDir dir;
  Host host(with_toolsets({"background"}, dir));
  for (int i = 0; i < 3; ++i) host.data("run_background", {{"cmd", "echo up; sleep 60"}});
  bool done = false;
  CallResult answer;
  host.runtime->call({"wait_for_service", R"({"output_regex":"never","timeout":0.3})", ""},
                     [&](CallResult result) {
                       answer = std::move(result);
                       done = true;
                     });
  CHECK(host.runtime->reload().ok);
  REQUIRE(host.until([&] { return done; }));
  CHECK(answer.code == "timeout");
  CHECK(host.call("run_background", {{"cmd", "true"}}).code == "too_many_runs");
}

TEST_CASE("starts at the same time do not exceed a toolset's limit") {
  const TempDir dir;
  Host host(with_toolsets({"background"}, dir));
  int started = 0;
  int refused = 0;
  constexpr int kCalls = 8;
  constexpr int kLimit = 3;
  for (int i = 0; i < kCalls; ++i) {
    host.runtime->call({"run_background", R"({"cmd":"sleep 60"})", ""},
                       [&](CallResult result) { ++(result.ok ? started : refused); });
  }
  REQUIRE(host.until([&] { return started + refused == kCalls; }));
  CHECK(started == kLimit);
}

TEST_CASE("the limit of a toolset holds for each session separately") {
  const TempDir dir;
  Host host(with_toolsets({"background"}, dir));
  for (int i = 0; i < 3; ++i) host.data("run_background", {{"cmd", "sleep 60"}}, "one");
  CHECK(host.call("run_background", {{"cmd", "sleep 60"}}, "two").ok);
  CHECK(host.data("list_processes", Json::object(), "two")["processes"].size() == 1);
}

}  // namespace
}  // namespace gibbous::testing
