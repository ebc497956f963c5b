// The shipped toolsets over a real runtime: what each costs a model, loading them together, and
// what cancelling, reloading and ending do to their calls. tests/seeds shows their answers.
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

const std::vector<std::string> kToolsets = {"bg",      "wait",       "shell",    "safe_shell",
                                            "process", "background", "services", "lean"};

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

// Returns the bytes that a model reads of the tools: name, description and schema.
std::size_t definition_bytes(const Host& host) {
  std::size_t bytes = 0;
  for (const ToolInfo& tool : host.runtime->tools()) {
    bytes += Json{{"name", tool.name},
                  {"description", tool.description},
                  {"inputSchema", Json::parse(tool.input_schema)}}
                 .dump()
                 .size();
  }
  return bytes;
}

TEST_CASE("the tools of any one toolset are described to a model in 4.5 KB") {
  for (const std::string& name : kToolsets) {
    const TempDir dir;
    Host host(with_toolsets({name}, dir));
    INFO(name);
    CHECK(definition_bytes(host) < 4'500);
    CHECK(Json::parse(host.runtime->tools_json(ToolFormat::kMcp)).size() == tools_of(host).size());
  }
}

TEST_CASE("the tools of bg and wait are described to a model in 3.5 KB") {
  const TempDir dir;
  RuntimeOptions options = with_toolsets({"bg", "wait"}, dir);
  options.mode = "dangerous";
  Host host(std::move(options));
  CHECK(definition_bytes(host) <= 3'500);
}

TEST_CASE("a mode that confines commands tells a model what it may ask for, in 200 bytes more") {
  const auto listed = [](const char* mode, const char* toolset) {
    const TempDir dir;
    RuntimeOptions options = with_toolsets({toolset}, dir);
    options.mode = mode;
    Host host(std::move(options));
    bool found = false;
    for (const ToolInfo& tool : host.runtime->tools())
      found = found || Json::parse(tool.input_schema)["properties"].contains("allow");
    return found;
  };
  CHECK(listed("auto", "bg"));
  CHECK(listed("auto", "shell"));
  CHECK(listed("default", "bg"));
  CHECK_FALSE(listed("dangerous", "bg"));
  CHECK_FALSE(listed("auto", "lean"));
  const TempDir dir;
  Host host(with_toolsets({"bg", "wait"}, dir));
  CHECK(definition_bytes(host) <= 3'700);
}

TEST_CASE("the tools of lean are described to a model in 1.2 KB") {
  const TempDir dir;
  Host host(with_toolsets({"lean"}, dir));
  CHECK(definition_bytes(host) <= 1'200);
}

TEST_CASE("rare parameters are listed on request only, and accepted always") {
  const TempDir dir;
  RuntimeOptions options = with_toolsets({"bg", "wait"}, dir);
  const auto parameters = [](const Host& host, const std::string& name) {
    for (const ToolInfo& tool : host.runtime->tools()) {
      if (tool.name == name) return Json::parse(tool.input_schema)["properties"];
    }
    return Json();
  };
  Host host(options);
  CHECK_FALSE(parameters(host, "wait_for").contains("timer_ms"));
  CHECK(parameters(host, "bg_start")["watch"]["items"] == Json{{"type", "string"}});
  CHECK(host.runtime->tools_json(ToolFormat::kMcp).find("x-rare") == std::string::npos);
  CHECK(host.call("wait_for", {{"timer_ms", 1}}).ok);
  options.all_parameters = true;
  Host full(options);
  CHECK(parameters(full, "wait_for").contains("timer_ms"));
  CHECK(parameters(full, "bg_start")["watch"]["items"]["oneOf"].size() == 2);
  CHECK(full.runtime->tools_json(ToolFormat::kMcp).find("x-rare") == std::string::npos);
  CHECK(definition_bytes(full) > definition_bytes(host));
}

TEST_CASE("all shipped toolsets can be loaded together") {
  const TempDir dir;
  Host host(with_toolsets(kToolsets, dir));
  CHECK(tools_of(host).size() == 5 + 1 + 1 + 1 + 1 + 9 + 1 + 2);
}

TEST_CASE("optional toolsets are not loaded by default") {
  const TempDir dir;
  Host host(with_toolsets({}, dir));
  CHECK(tools_of(host) == std::vector<std::string>{"bg_input", "bg_kill", "bg_output", "bg_start",
                                                   "bg_status", "wait_for"});
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
