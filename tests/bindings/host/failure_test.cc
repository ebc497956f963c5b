// Answers that tell of a failure say why, in every toolset, from memory and from the journal.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

// The error is in the middle of much output.
constexpr const char* kFailing = "seq 1500; echo 'FATAL: no database'; seq 1500; exit 3";
constexpr const char* kWhy = "1501:FATAL: no database\n";

RuntimeOptions all_toolsets(const TempDir& dir) {
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  options.toolsets = {"bg", "wait", "lean", "shell", "process", "background", "safe_shell"};
  return options;
}

CallResult good(Host& host, const std::string& tool, const Json& args) {
  CallResult result = host.call(tool, args);
  INFO(tool << " " << args.dump() << ": " << result.message);
  REQUIRE(result.ok);
  return result;
}

std::string failed_run(Host& host) {
  const CallResult ended =
      good(host, "bg_start", {{"command", kFailing}, {"until", {{"exit", true}}}});
  return Json::parse(ended.data)["id"];
}

void check_why(Host& host, const std::string& tool, const Json& args) {
  const CallResult told = host.call(tool, args);
  const std::string text = told.ok ? told.text : told.message;
  INFO(tool << " " << args.dump() << ": " << text);
  CHECK(text.find(kWhy) != std::string::npos);
  CHECK(text.size() < 900);
  if (told.ok && tool != "wait_for") {
    CHECK(told.data.find("FATAL: no database") != std::string::npos);
  }
}

TEST_CASE("every answer that tells of a failed run says why it failed") {
  const TempDir dir;
  Host host(all_toolsets(dir));
  const std::string id = failed_run(host);
  check_why(host, "bg_status", {{"id", id}});
  check_why(host, "bg_kill", {{"id", id}});
  check_why(host, "wait_for", {{"id", id}, {"exit", true}});
  check_why(host, "wait_for", {{"id", id}, {"output_regex", "never"}});
  check_why(host, "job", {{"action", "wait"}, {"id", id}});
  check_why(host, "shell", {{"action", "kill"}, {"run_id", id}});
  check_why(host, "process", {{"action", "status"}, {"pid", id}});
  check_why(host, "process", {{"action", "stop"}, {"pid", id}});
  check_why(host, "stop_process", {{"process_id", id}});
}

TEST_CASE("answers say why a run failed that only the journal knows") {
  const TempDir dir;
  std::string id;
  {
    Host host(all_toolsets(dir));
    id = failed_run(host);
  }
  Host host(all_toolsets(dir));
  check_why(host, "bg_status", {{"id", id}});
  check_why(host, "bg_kill", {{"id", id}});
  check_why(host, "wait_for", {{"id", id}, {"exit", true}});
  check_why(host, "job", {{"action", "wait"}, {"id", id}});
  check_why(host, "shell", {{"action", "kill"}, {"run_id", id}});
}

TEST_CASE("what was typed that ended a program says why, beyond what it printed since") {
  Host host(auto_mode());
  const CallResult started =
      good(host, "bg_start",
           {{"command", "echo 'Error: cannot bind'; seq 100; read line; echo bye; exit 2"},
            {"until", {{"input", true}}}});
  const std::string id = Json::parse(started.data)["id"];
  const CallResult typed = good(host, "bg_input", {{"id", id}, {"keys", "x<Enter>"}});
  INFO(typed.text);
  CHECK(typed.text.find("bye\n") == 0);
  CHECK(typed.text.find("1:Error: cannot bind\n") != std::string::npos);
  CHECK(Json::parse(typed.data)["error_excerpt"].get<std::string>().find("1:Error") == 0);
}

TEST_CASE("an answer that shows all output of a failure does not repeat its lines") {
  const TempDir dir;
  Host host(all_toolsets(dir));
  const CallResult output =
      good(host, "shell",
           {{"action", "spawn"}, {"command", "echo 'error: once'; exit 1"}, {"background", false}});
  const std::size_t first = output.text.find("error: once");
  REQUIRE(first != std::string::npos);
  CHECK(output.text.find("error: once", first + 1) == std::string::npos);
}

}  // namespace
}  // namespace gibbous::testing
