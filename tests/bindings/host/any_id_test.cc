// An id or a label works in the tools of every toolset: queued, running, ended, and known to the
// journal alone.
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

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

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
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
  CHECK(contains(said(host, "wait_for_service", {{"id", "web"}, {"output_regex", "up"}}), ": up"));
  CHECK(contains(said(host, "process", {{"action", "status"}, {"pid", "web"}}), id + ": running"));
  CHECK(contains(said(host, "process", {{"action", "output"}, {"pid", "web"}}), "up\n"));
  CHECK(contains(said(host, "read_process_output", {{"id", "web"}}), "up\n"));
  CHECK(contains(said(host, "shell", {{"action", "poll"}, {"run_id", "web"}}), "run " + id));
  CHECK(contains(said(host, "shell", {{"action", "send_keys"}, {"run_id", "web"}, {"keys", "x"}}),
                 "no_terminal: Run " + id));
  CHECK(contains(said(host, "stop_process", {{"process_id", "web"}}), id + " killed"));
  CHECK(contains(said(host, "process", {{"action", "stop"}, {"pid", "web"}}), "It is not running"));
  CHECK(contains(said(host, "shell", {{"action", "kill"}, {"run_id", "web"}}), "is not running"));
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
    CHECK(contains(said(host, "process", {{"action", "status"}, {"pid", name}}),
                   id + ": exited (code 3)"));
    CHECK(contains(said(host, "process", {{"action", "output"}, {"pid", name}}),
                   "[stdout]\nup\n[stderr]\nerror: full\n[exit code 3]"));
    CHECK(contains(said(host, "process", {{"action", "stop"}, {"pid", name}}), "error: full"));
    CHECK(contains(said(host, "read_process_output", {{"id", name}}),
                   "[stdout]\nup\n[stderr]\nerror: full\n[exit code 3]"));
    CHECK(contains(said(host, "stop_process", {{"process_id", name}}),
                   id + " is not running (failed: exit code 3)"));
    CHECK(contains(said(host, "wait_for_service", {{"id", name}, {"output_regex", "u."}}),
                   "ready: up"));
    for (const Json& wait : {Json{{"output_regex", "never"}}, Json{{"port", 1}}}) {
      Json args = wait;
      args["id"] = name;
      const std::string vain = said(host, "wait_for_service", args);
      CHECK(contains(vain, "cannot_happen"));
      CHECK(contains(vain, "error: full"));
    }
    CHECK(contains(said(host, "shell", {{"action", "poll"}, {"run_id", name}}), "error: full"));
  }
  CHECK(
      contains(said(host, "process", {{"action", "status"}, {"pid", "nobody"}}), "run_not_found"));
  CHECK(contains(said(host, "read_process_output", {{"id", id}, {"stream", "stdout"}, {"from", 0}}),
                 "args.from: only the journal"));
  CHECK(contains(said(host, "wait_for_service", {{"id", id}, {"output_regex", "("}}),
                 "args.output_regex: missing )"));
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
  CHECK(contains(said(host, "process", {{"action", "status"}, {"pid", second}}), "queued"));
  CHECK(contains(said(host, "read_process_output", {{"id", second}}), "[queued: it waits for run"));
  CHECK(contains(
      said(host, "wait_for_service", {{"id", second}, {"output_regex", "mine"}, {"timeout", 0.05}}),
      "timeout: " + second + " is queued"));
  CHECK(contains(said(host, "stop_process", {{"process_id", third}}), "ended before it started"));
  host.call("shell", {{"action", "kill"}, {"run_id", first}});
  CHECK(contains(said(host, "wait_for_service", {{"id", second}, {"output_regex", "mine"}}),
                 "ready: mine"));
  CHECK(contains(said(host, "process", {{"action", "stop"}, {"pid", second}}), "killed"));
}

}  // namespace
}  // namespace gibbous::testing
