// Five outages of the journal (locked, full, read-only, corrupt, gone) under each tool that touches
// it: every call is answered while the outage lasts, an error has a name and the file, what was
// acknowledged before is there afterwards, and a repeated start runs once.
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/runtime/journal/desk.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

// A `gibbous session` with its own state directory and a file in which commands count their runs.
class OutageSession {
 public:
  OutageSession() { begin(); }

  // `wrapper` is a shell command that executes "$@".
  void begin(const std::string& wrapper = "exec \"$@\"") {
    ProgramSpec spec;
    spec.argv = {"/bin/sh", "-c", wrapper, "sh", command_path(), "session", "--mode", "auto"};
    spec.argv.insert(spec.argv.end(), {"--state", state(), "--workspace", dir_.path(), "--toolset",
                                       "shell", "--toolset", "bg"});
    session_.emplace(spec);
    // The first call is answered when everything is set up.
    (void)session_->call("bg_status", Json::object(), "a");
  }
  void end() {
    session_->program().close_stdin();
    REQUIRE(session_->program().wait());
    session_.reset();
  }
  pid_t pid() { return session_->program().pid(); }
  Json call(const std::string& tool, const Json& args) { return session_->call(tool, args, "a"); }
  Json data(const std::string& tool, const Json& args) {
    const Json answer = call(tool, args);
    INFO(answer.dump());
    REQUIRE(answer.contains("result"));
    return answer["result"]["data"];
  }
  Json spawn(const std::string& command, const std::string& request = "") {
    Json args = {{"action", "spawn"}, {"command", command}};
    if (!request.empty()) args["request_id"] = request;
    return call("shell", args);
  }
  // Returns the whole output once the run is done.
  std::string output_of(const std::string& run) {
    std::string text;
    Loop loop;
    REQUIRE(loop.until([&] {
      const Json answer = call("shell", {{"action", "poll"}, {"run_id", run}});
      if (!answer.contains("result") || !answer["result"]["data"]["done"].get<bool>()) return false;
      text.clear();
      for (const Json& item : answer["result"]["data"]["items"]) {
        if (item["item_type"] == "stdout") text += item["payload"].get<std::string>();
      }
      return true;
    }));
    return text;
  }
  std::size_t count() const {
    std::ifstream file(dir_.path() + "/count");
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }
  std::string state() const { return dir_.path() + "/state"; }
  std::string journal() const { return state() + "/sessions.db"; }
  // Runs `gibbous` with these arguments.
  ExitStatus command(Texts arguments) const {
    ProgramSpec spec;
    spec.argv = {command_path()};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    Program program(spec);
    const auto status = program.wait();
    REQUIRE(status);
    return *status;
  }

 private:
  TempDir dir_;
  std::optional<Conversation> session_;
};

const std::string kCount = "echo x >> count";

// Calls every tool while the outage lasts. `ended` is a run from before it. Returns a run that
// began and ended in it.
std::string call_all(OutageSession& session, const std::string& ended, const std::string& code) {
  const auto is_named = [&](const Json& answer) {
    INFO(answer.dump());
    if (answer.contains("result")) return;
    const std::string found = answer["error"]["code"];
    CHECK((found == code || found == "journal_busy" || found == "run_not_found"));
    if (found != "run_not_found") {
      CHECK_THAT(answer["error"]["message"].get<std::string>(),
                 Catch::Matchers::Contains(session.state()));
    }
  };
  CHECK(session.data("shell", {{"command", "echo here"}})["stdout"] == "here\n");
  for (int i = 0; i < 2; ++i) {
    const Json spawned = session.spawn(kCount, "one");
    INFO(spawned.dump());
    REQUIRE(spawned.contains("error"));
    is_named(spawned);
    CHECK_THAT(spawned["error"]["message"].get<std::string>(),
               Catch::Matchers::Contains("will not run"));
  }
  is_named(session.call("bg_start", {{"command", kCount}, {"serial", "s"}, {"request_id", "two"}}));
  is_named(session.call("shell", {{"action", "poll"}, {"run_id", ended}}));
  is_named(session.call("shell", {{"action", "kill"}, {"run_id", ended}}));
  const std::string live = session.data(
      "bg_start", {{"command", "echo up; sleep 600"}, {"until", {{"line", "up"}}}})["id"];
  const Json polled = session.data("shell", {{"action", "poll"}, {"run_id", live}});
  CHECK(polled["status"] == "running");
  CHECK_FALSE(polled["done"].get<bool>());
  CHECK(session.data("bg_status", {{"id", live}}).dump().find("running") != std::string::npos);
  CHECK(session.call("bg_output", {{"id", live}}).contains("result"));
  CHECK(session.data("bg_kill", {{"id", live}})["killed"] == true);
  CHECK(session.data("shell", {{"action", "poll"}, {"run_id", live}})["status"] == "killed");
  return live;
}

// Repeats what failed during the outage; each command runs once.
void go_on(OutageSession& session) {
  Json first;
  Loop loop;
  REQUIRE(loop.until([&] {
    first = session.spawn(kCount, "one");
    return first.contains("result");
  }));
  const Json again = session.spawn(kCount, "one");
  REQUIRE(again.contains("result"));
  const std::string run = first["result"]["data"]["run_id"];
  CHECK(again["result"]["data"]["run_id"] == run);
  CHECK(session.output_of(run).empty());
  // What waits behind it in the queue shows that nothing that was withdrawn is left there.
  session.output_of(session.spawn("true")["result"]["data"]["run_id"]);
  CHECK(session.count() == 1);
}

std::string run_before(OutageSession& session) {
  const Json spawned = session.spawn("echo before");
  INFO(spawned.dump());
  REQUIRE(spawned.contains("result"));
  const std::string run = spawned["result"]["data"]["run_id"];
  CHECK(session.output_of(run) == "before\n");
  return run;
}

TEST_CASE("while another process holds the journal, every tool answers, and nothing runs twice") {
  OutageSession session;
  const std::string before = run_before(session);
  std::string during;
  {
    Plain plain(session.journal());
    REQUIRE(plain.run("BEGIN IMMEDIATE"));
    // The lock lasts until all have answered: a tool that waits for it never does.
    during = call_all(session, before, "journal_busy");
    CHECK(session.output_of(before) == "before\n");
  }
  go_on(session);
  CHECK(session.output_of(before) == "before\n");
  CHECK(session.output_of(during) == "up\n");
}

TEST_CASE("while the disk is full, every tool answers, and nothing runs twice") {
  OutageSession session;
  const std::string before = run_before(session);
  // No file of the host may grow.
  rlimit limits{};
  REQUIRE(::prlimit(session.pid(), RLIMIT_FSIZE, nullptr, &limits) == 0);
  const rlimit none{1, limits.rlim_max};
  REQUIRE(::prlimit(session.pid(), RLIMIT_FSIZE, &none, nullptr) == 0);
  const std::string during = call_all(session, before, "journal_full");
  CHECK(session.output_of(before) == "before\n");
  REQUIRE(::prlimit(session.pid(), RLIMIT_FSIZE, &limits, nullptr) == 0);
  go_on(session);
  CHECK(session.output_of(before) == "before\n");
  CHECK(session.output_of(during) == "up\n");
}

TEST_CASE("on a file system that became read-only, every tool answers, and views read") {
  const std::string space = ::geteuid() == 0 ? "unshare -m " : "unshare -rm ";
  ProgramSpec probe;
  probe.argv = {"/bin/sh", "-c", space + "true"};
  if (Program(probe).wait()->code != 0) {
    WARN("this machine allows no mounts");
    return;
  }
  OutageSession session;
  const std::string before = run_before(session);
  session.end();
  const std::string read_only = "mount --bind " + session.state() + " " + session.state() +
                                " && mount -o remount,ro,bind " + session.state();
  session.begin("exec " + space + "sh -c '" + read_only + " && exec \"$@\"' sh \"$@\"");
  call_all(session, before, "journal_readonly");
  CHECK(session.output_of(before) == "before\n");
  session.end();
  for (const std::string& view : {std::string("ps --all"), std::string("events"), "logs " + before,
                                  "report a -o " + session.state() + "/../report.html"}) {
    ProgramSpec spec;
    spec.argv = {"/bin/sh", "-c",
                 space + "sh -c '" + read_only + " && exec " + command_path() + " " + view +
                     " --state " + session.state() + "'"};
    Program program(spec);
    const auto status = program.wait();
    INFO(view << ": " << program.stderr_text());
    REQUIRE(status);
    CHECK(status->code == 0);
  }
  session.begin();
  go_on(session);
}

TEST_CASE("while the journal is damaged, every tool answers, and setting it aside ends that") {
  OutageSession session;
  const std::string before = run_before(session);
  session.end();
  constexpr std::size_t kTwoPages = 8192;
  for (const char* suffix : {"-wal", "-shm"}) fs::remove(session.journal() + suffix);
  {
    std::fstream file(session.journal(), std::ios::in | std::ios::out | std::ios::binary);
    file << std::string(kTwoPages, 'g');
  }
  session.begin();
  const std::string during = call_all(session, before, "journal_corrupt");
  CHECK(session.command({"doctor", "--set-aside", "--state", session.state()}).code == 0);
  go_on(session);
  CHECK(session.output_of(during) == "up\n");
}

TEST_CASE(
    "when the journal's file is removed, every tool answers, and a new file takes its place") {
  OutageSession session;
  run_before(session);
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(session.journal() + suffix);
  // The writer may notice with this call or have noticed before.
  const Json spawned = session.spawn(kCount, "one");
  INFO(spawned.dump());
  CHECK((spawned.contains("result") || spawned["error"]["code"] == "journal_unusable"));
  const std::string live = session.data(
      "bg_start", {{"command", "echo up; sleep 600"}, {"until", {{"line", "up"}}}})["id"];
  CHECK(session.data("shell", {{"action", "poll"}, {"run_id", live}})["status"] == "running");
  CHECK(session.data("bg_kill", {{"id", live}})["killed"] == true);
  go_on(session);
}

}  // namespace
}  // namespace gibbous::testing
