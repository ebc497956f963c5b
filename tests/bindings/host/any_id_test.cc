// An id or a label works in the tools of every toolset: queued, running, ended, and known to the
// journal alone.
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

RuntimeOptions all_toolsets(const TempDir& dir) {
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  options.toolsets = {"bg", "wait", "shell", "process", "background"};
  return options;
}

std::string said(Host& host, const std::string& tool, const Json& args) {
  const CallResult result = host.call(tool, args);
  return result.ok ? result.text : result.code + ": " + result.message;
}

std::string started(Host& host, const std::string& command) {
  const CallResult result = host.call("bg_start", {{"command", command}, {"label", "web"}});
  INFO(result.message);
  REQUIRE(result.ok);
  return Json::parse(result.data)["id"];
}

TEST_CASE("a label is as good as an id in process, background and shell") {
  const TempDir dir;
  Host host(all_toolsets(dir));
  const std::string id = started(host, "echo up; sleep 600");
  CHECK_THAT(said(host, "wait_for_service", {{"id", "web"}, {"output_regex", "up"}}),
             Contains(": up"));
  CHECK_THAT(said(host, "process", {{"action", "status"}, {"pid", "web"}}),
             Contains(id + ": running"));
  CHECK_THAT(said(host, "process", {{"action", "output"}, {"pid", "web"}}), Contains("up\n"));
  CHECK_THAT(said(host, "read_process_output", {{"id", "web"}}), Contains("up\n"));
  CHECK_THAT(said(host, "shell", {{"action", "poll"}, {"run_id", "web"}}), Contains("run " + id));
  CHECK_THAT(said(host, "shell", {{"action", "send_keys"}, {"run_id", "web"}, {"keys", "x"}}),
             Contains("no_terminal: Run " + id));
  CHECK_THAT(said(host, "stop_process", {{"process_id", "web"}}), Contains(id + " killed"));
  CHECK_THAT(said(host, "process", {{"action", "stop"}, {"pid", "web"}}),
             Contains("It is not running"));
  CHECK_THAT(said(host, "shell", {{"action", "kill"}, {"run_id", "web"}}),
             Contains("is not running"));
}

TEST_CASE("process, background and shell know a run that only the journal knows") {
  const TempDir dir;
  std::string id;
  {
    Host host(all_toolsets(dir));
    id = started(host, "echo up; echo 'error: full' >&2; exit 3");
    host.call("wait_for", {{"id", id}, {"exit", true}});
  }
  Host host(all_toolsets(dir));
  for (const std::string& name : {id, std::string("web")}) {
    CAPTURE(name);
    CHECK_THAT(said(host, "process", {{"action", "status"}, {"pid", name}}),
               Contains(id + ": exited (code 3)"));
    CHECK_THAT(said(host, "process", {{"action", "output"}, {"pid", name}}),
               Contains("[stdout]\nup\n[stderr]\nerror: full\n[exit code 3]"));
    CHECK_THAT(said(host, "process", {{"action", "stop"}, {"pid", name}}), Contains("error: full"));
    CHECK_THAT(said(host, "read_process_output", {{"id", name}}),
               Contains("[stdout]\nup\n[stderr]\nerror: full\n[exit code 3]"));
    CHECK_THAT(said(host, "stop_process", {{"process_id", name}}),
               Contains(id + " is not running (failed: exit code 3)"));
    CHECK_THAT(said(host, "wait_for_service", {{"id", name}, {"output_regex", "u."}}),
               Contains("ready: up"));
    for (const Json& wait : {Json{{"output_regex", "never"}}, Json{{"port", 1}}}) {
      Json args = wait;
      args["id"] = name;
      const std::string vain = said(host, "wait_for_service", args);
      CHECK_THAT(vain, Contains("cannot_happen"));
      CHECK_THAT(vain, Contains("error: full"));
    }
    CHECK_THAT(said(host, "shell", {{"action", "poll"}, {"run_id", name}}),
               Contains("error: full"));
  }
  CHECK_THAT(said(host, "process", {{"action", "status"}, {"pid", "nobody"}}),
             Contains("run_not_found"));
  CHECK_THAT(said(host, "read_process_output", {{"id", id}, {"stream", "stdout"}, {"from", 0}}),
             Contains("args.from: only the journal"));
  CHECK_THAT(said(host, "wait_for_service", {{"id", id}, {"output_regex", "("}}),
             Contains("args.output_regex: missing )"));
}

TEST_CASE("process and background know a run that waits in the queue, and end it") {
  const TempDir dir;
  Host host(all_toolsets(dir));
  const auto spawn = [&](const std::string& command) -> std::string {
    const CallResult result = host.call("shell", {{"action", "spawn"}, {"command", command}});
    INFO(result.message);
    REQUIRE(result.ok);
    return Json::parse(result.data)["run_id"];
  };
  const std::string first = spawn("sleep 600");
  const std::string second = spawn("echo mine; sleep 600");
  const std::string third = spawn("sleep 600");
  CHECK_THAT(said(host, "process", {{"action", "status"}, {"pid", second}}), Contains("queued"));
  CHECK_THAT(said(host, "read_process_output", {{"id", second}}),
             Contains("[queued: it waits for run"));
  CHECK_THAT(
      said(host, "wait_for_service", {{"id", second}, {"output_regex", "mine"}, {"timeout", 0.05}}),
      Contains("timeout: " + second + " is queued"));
  CHECK_THAT(said(host, "stop_process", {{"process_id", third}}),
             Contains("ended before it started"));
  host.call("shell", {{"action", "kill"}, {"run_id", first}});
  CHECK_THAT(said(host, "wait_for_service", {{"id", second}, {"output_regex", "mine"}}),
             Contains("ready: mine"));
  CHECK_THAT(said(host, "process", {{"action", "stop"}, {"pid", second}}), Contains("killed"));
}

}  // namespace
}  // namespace gibbous::testing
