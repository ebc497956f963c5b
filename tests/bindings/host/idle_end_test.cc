// A run that its idle limit ends: every answer that tells of the end says so, and why the program
// was silent where that can be seen.
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kEnd = "idle: no output for ";
constexpr const char* kCure = "perl keeps its output back while it writes to a pipe: $| = 1";
constexpr const char* kSilentPerl = R"(perl -e 'print "ready\n"; sleep 600')";

// Ends silent runs soon, and has all toolsets.
class Place {
 public:
  Place() {
    options = auto_mode();
    options.mode = "dangerous";
    options.state_dir = dir.path() + "/state";
    options.workspace = dir.path();
    options.toolsets = {"bg", "wait", "lean", "shell", "process", "background", "safe_shell"};
    options.config_file =
        dir.write("gibbous.lua", "return { limits = { run = { idle_time_ms = 2000 } } }");
  }

  TempDir dir;
  RuntimeOptions options;
};

std::string said(Host& host, const std::string& tool, const Json& args) {
  const CallResult result = host.call(tool, args);
  return tool + " " + args.dump() + ": " + (result.ok ? result.text : result.message);
}

// Runs a command until its idle limit ends it. Returns its id.
std::string ended(Host& host, const std::string& command, const std::string& cure) {
  const CallResult result =
      host.call("bg_start", {{"command", command}, {"until", {{"exit", true}}}});
  INFO(command);
  CHECK_THAT(result.text, Contains(kEnd) && Contains(cure));
  return Json::parse(result.data)["id"];
}

TEST_CASE("every answer that tells of an end by the idle limit says so, with the cure") {
  const Place place;
  Host host(place.options);
  const std::string id = ended(host, kSilentPerl, kCure);
  const std::vector<std::string> answers = {
      said(host, "bg_status", {{"id", id}}),
      said(host, "bg_output", {{"id", id}}),
      said(host, "bg_output", {{"id", id}, {"stream", "merged"}}),
      said(host, "bg_kill", {{"id", id}}),
      said(host, "wait_for", {{"id", id}, {"exit", true}}),
      said(host, "wait_for", {{"id", id}, {"output_regex", "never"}}),
      said(host, "job", {{"action", "output"}, {"id", id}}),
      said(host, "job", {{"action", "wait"}, {"id", id}}),
      said(host, "shell", {{"action", "poll"}, {"run_id", id}}),
      said(host, "shell", {{"action", "kill"}, {"run_id", id}}),
      said(host, "process", {{"action", "status"}, {"pid", id}}),
      said(host, "process", {{"action", "output"}, {"pid", id}}),
      said(host, "read_process_output", {{"id", id}}),
      said(host, "stop_process", {{"process_id", id}}),
      said(host, "wait_for_service", {{"id", id}, {"output_regex", "never"}, {"timeout", 5}}),
  };
  for (const std::string& answer : answers) {
    CHECK_THAT(answer, Contains(kEnd) && Contains(kCure));
    CHECK(answer.find(kCure) == answer.rfind(kCure));
  }
}

TEST_CASE("a command that is waited for says that its idle limit ended it, even with exit code 0") {
  const Place place;
  Host host(place.options);
  // The trap is in place when the shell waits.
  const std::string polite = "trap 'exit 0' TERM; sleep 600 & wait";
  for (const std::string& answer : {
           said(host, "bg_start", {{"command", polite}, {"until", {{"exit", true}}}}),
           said(host, "run", {{"command", polite}, {"until", "exit"}}),
           said(host, "run_cmd", {{"cmd", polite}}),
           said(host, "shell", {{"command", polite}}),
           said(host, "safe_shell",
                {{"command", "bash"}, {"args", {"-c", polite}}, {"keep_alive", 60}}),
       }) {
    CHECK_THAT(answer, Contains(kEnd));
  }
  const std::string id = ended(host, polite, "");
  for (const std::string& answer : {
           said(host, "shell", {{"action", "poll"}, {"run_id", id}}),
           said(host, "job", {{"action", "output"}, {"id", id}}),
           said(host, "job", {{"action", "list"}}),
           said(host, "process", {{"action", "status"}, {"pid", id}}),
       }) {
    CHECK_THAT(answer, Contains(kEnd));
  }
}

TEST_CASE("a silence that a pipe does not explain gets no cure when it ends the run") {
  const Place place;
  Host host(place.options);
  for (const char* command : {
           "sleep 600",
           "perl -e '$| = 1; sleep 600'",
           "sleep 600 | stdbuf -oL tr a b",
       }) {
    const std::string id = ended(host, command, "");
    CHECK_THAT(said(host, "bg_status", {{"id", id}}), !Contains("keeps its output back"));
  }
  // This filter has nothing to print: it waits for the run's own stdin.
  const Json start = {{"command", "exec grep ready"}, {"stdin", true}, {"until", {{"exit", true}}}};
  CHECK_THAT(said(host, "bg_start", start), Contains(kEnd) && !Contains("keeps its output back"));
}

TEST_CASE("a filter that a pipeline feeds is named when its silence ends the run") {
  const Place place;
  Host host(place.options);
  ended(host, "(echo ready; sleep 600) | grep ready | cat", "grep --line-buffered");
}

TEST_CASE("after a restart, answers still say that the idle limit ended a run") {
  const Place place;
  std::string id;
  {
    Host host(place.options);
    id = ended(host, kSilentPerl, kCure);
  }
  Host host(place.options);
  for (const std::string& answer : {
           said(host, "bg_status", {{"id", id}}),
           said(host, "bg_output", {{"id", id}}),
           said(host, "job", {{"action", "output"}, {"id", id}}),
           said(host, "shell", {{"action", "poll"}, {"run_id", id}}),
           said(host, "process", {{"action", "output"}, {"pid", id}}),
       }) {
    CHECK_THAT(answer, Contains(kEnd));
  }
}

}  // namespace
}  // namespace gibbous::testing
