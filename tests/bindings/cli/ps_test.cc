// `gibbous ps`, over a journal that the test writes and processes that it starts.
#include <sys/resource.h>
#include <unistd.h>

#include <re2/re2.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bindings/inspect/figures.h"
#include "runtime/journal/schema.h"
#include "runtime/process/mark.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/proc.h"
#include "tests/runtime/journal/desk.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/program.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1 };

Outcome ps(const WrittenJournal& journal, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {command_path(), "ps"});
  arguments.insert(arguments.end(), {"--state", journal.directory()});
  return run_program({.argv = std::move(arguments), .env = {}, .cwd = ""});
}

Json runs_of(const WrittenJournal& journal, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), "--json");
  return Json::parse(ps(journal, std::move(arguments)).out).at("runs");
}

// Returns the first run, once the condition holds for it.
template <typename Condition>
Json run_when(const WrittenJournal& journal, Condition holds) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  Json run;
  do {
    run = runs_of(journal).at(0);
    if (holds(run)) return run;
  } while (std::chrono::steady_clock::now() < deadline);
  FAIL("never: " << run.dump());
  return run;
}

// Runs a command on a state directory, and returns what it printed.
Outcome on(const WrittenJournal& journal, std::vector<std::string> command) {
  command.insert(command.begin(), command_path());
  command.insert(command.end(), {"--state", journal.directory()});
  return run_program({.argv = std::move(command), .env = {}, .cwd = ""});
}

// A program whose processes carry a mark, as a keeper gives it below another keeper.
class MarkedProgram {
 public:
  explicit MarkedProgram(const ProgramSpec& spec) {
    rlimit before{};
    ::getrlimit(RLIMIT_RTTIME, &before);
    rlimit marked = before;
    marked.rlim_cur = gibbous::mark_limit({kKeeper, kRun}, gibbous::MarkMode::kSoft).rlim_cur;
    REQUIRE(::setrlimit(RLIMIT_RTTIME, &marked) == 0);
    mark_ = std::to_string(marked.rlim_cur);
    program_ = std::make_unique<Program>(spec);
    ::setrlimit(RLIMIT_RTTIME, &before);
  }
  Program& program() { return *program_; }
  const std::string& mark() const { return mark_; }

 private:
  const std::uint32_t kKeeper = static_cast<std::uint32_t>(::getpid());
  static constexpr std::uint32_t kRun = 7;
  std::string mark_;
  std::unique_ptr<Program> program_;
};

}  // namespace

TEST_CASE("what shows a journal names its version when a newer program wrote it") {
  WrittenJournal journal;
  journal.start("r", "s", "sleep 600");
  journal.flush();
  Plain plain(journal.directory() + "/sessions.db");
  REQUIRE(plain.run("PRAGMA user_version = 99"));
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"ps"}, {"logs", "r"}, {"events"}, {"report", "s"}, {"kill", "r"}, {"policy", "log"}}) {
    INFO(command[0]);
    const Outcome shown = on(journal, command);
    CHECK(shown.status.code == kFailed);
    CHECK(shown.out.empty());
    CHECK_THAT(shown.err, Contains("version 99") && Contains("newer program"));
  }
  CHECK_THAT(
      on(journal, {"doctor"}).out,
      Contains("version 99") && Contains("journal " + std::to_string(gibbous::kJournalVersion)));
  CHECK(on(journal, {"doctor", "--set-aside"}).status.code == kFailed);
  REQUIRE(plain.run("PRAGMA user_version = 5"));
  CHECK_THAT(on(journal, {"doctor"}).out, Contains("has version 5"));
  REQUIRE(plain.run("PRAGMA user_version = " + std::to_string(gibbous::kJournalVersion)));
  CHECK(ps(journal).status.code == kDone);
}

TEST_CASE("ps lists running runs, and with --all ended ones, newest first") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "one", "make -j4\x1b[2J\nall", {{"label", "build"}});
  journal.start("BBBBbbb2", "two", "false");
  journal.end("BBBBbbb2", "failed", 2);
  journal.start("CCCCccc3", "one", "true").status = "queued";
  journal.put("CCCCccc3");
  journal.flush();
  const std::string active = ps(journal).out;
  CHECK_THAT(active, Contains("ID") && Contains("STATE") && Contains("PORTS"));
  CHECK_THAT(active, Contains("[build] make -j4\\x1b[2J\\nall"));
  CHECK(active.find("BBBBbbb2") == std::string::npos);
  CHECK(active.find("CCCCccc3") < active.find("AAAAaaa1"));
  const std::string all = ps(journal, {"--all"}).out;
  CHECK_THAT(all, Contains("failed (exit code 2)"));
  CHECK(all.find("AAAAaaa1") < all.find("BBBBbbb2"));
  CHECK(runs_of(journal, {"--session", "two"}).empty());
  CHECK(runs_of(journal, {"--session", "two", "--all"}).at(0)["exit_code"] == 2);
}

TEST_CASE("ps shows the calls of a host's tools, also when their host has gone") {
  WrittenJournal journal;
  gibbous::HostCallRecord call;
  call.session_id = "one";
  call.workspace = "/home/ann/shop";
  call.pid = ::getpid();
  call.pid_started = static_cast<std::int64_t>(gibbous::read_stat(::getpid())->start_time);
  call.pid_space = gibbous::pid_space();
  call.started_at = gibbous::inspect::unix_millis() - 60'000;
  const auto put = [&](const char* id, const char* tool) {
    call.call_id = id;
    call.tool = tool;
    REQUIRE(journal.journal().put_call(call) == gibbous::Taken::kYes);
  };
  put("AAAAaaa1", "open_buffer");
  put("BBBBbbb2", "build_buffer");
  call.outcome = "timeout";
  call.finished_at = call.started_at + 5'000;
  put("BBBBbbb2", "build_buffer");
  call.outcome = "";
  call.finished_at = 0;
  call.pid_started -= 1;
  put("CCCCccc3", "gone_buffer");
  journal.flush();
  const std::string active = ps(journal).out;
  CHECK_THAT(active, Contains("AAAAaaa1  running") && Contains("1m") &&
                         Contains("open_buffer (tool of the host)") && Contains("/home/ann/shop"));
  CHECK_FALSE(active.find("BBBBbbb2") != std::string::npos);
  CHECK_FALSE(active.find("CCCCccc3") != std::string::npos);
  CHECK_THAT(ps(journal, {"--session", "two"}).out, Contains("no runs"));
  const Json all = Json::parse(ps(journal, {"--all", "--json"}).out);
  CHECK(all.at("runs").empty());
  REQUIRE(all.at("calls").size() == 3);
  CHECK(all["calls"][0]["state"] == "running");
  CHECK(all["calls"][0]["tool"] == "open_buffer");
  CHECK(all["calls"][1]["state"] == "lost");
  CHECK(all["calls"][2]["state"] == "timeout");
  CHECK(all["calls"][2]["runtime_ms"] == 5'000);
  // Those that have ended do not hide those that go on.
  call.pid_started += 1;
  call.finished_at = call.started_at + 1;
  for (int i = 0; i < 300; ++i) put(("D" + std::to_string(1'000'000 + i)).c_str(), "brief");
  journal.flush();
  const Json later = Json::parse(ps(journal, {"--all", "--json"}).out);
  CHECK(later["calls"].size() == 201);
  CHECK(later["calls"][0]["tool"] == "open_buffer");
  CHECK(later["more"] == true);
}

TEST_CASE("ps says why a queued run was left in the queue") {
  WrittenJournal journal;
  gibbous::RunRecord run;
  run.run_id = "AAAAaaa1";
  run.command = "make";
  run.status = "queued";
  run.queued_at = journal.now();
  run.error_message = "not started: mode plan denies it: TOKEN=hunter2";
  REQUIRE(journal.journal().put_run(run) == gibbous::Taken::kYes);
  journal.flush();
  CHECK_THAT(ps(journal).out, Contains("queued (not started: mode plan denies it: TOKEN=***)"));
}

TEST_CASE("ps redacts secrets in commands and reasons") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "one", "mysql -phunter2 --host db");
  journal.end("AAAAaaa1", "failed", 1, "PASSWORD=hunter2 was refused");
  journal.flush();
  const std::string text = ps(journal, {"--all"}).out;
  CHECK_THAT(text, Contains("mysql -p*** --host db") && Contains("PASSWORD=*** was refused"));
  const Json run = runs_of(journal, {"--all"}).at(0);
  CHECK(run["command"] == "mysql -p*** --host db");
  CHECK(run["reason"] == "PASSWORD=*** was refused");
}

TEST_CASE("ps lists the runs of the caller's workspace first, under its name") {
  WrittenJournal journal;
  const TempDir workspace;
  const auto start = [&journal](const std::string& id, const std::string& place,
                                const std::string& session) {
    journal.in(place);
    journal.start(id, session, "make");
  };
  start("AAAAaaa1", workspace.path(), "claude@" + workspace.path() + "#2");
  start("BBBBbbb2", "/other", "codex@/other");
  start("CCCCccc3", workspace.path(), "named");
  journal.flush();
  const Outcome outcome = run_program(
      {.argv = {command_path(), "ps", "--state", journal.directory()}, .cwd = workspace.path()});
  const std::string& text = outcome.out;
  std::vector<std::size_t> places;
  for (const char* part : {"COMMAND\n", " (this workspace)\n", "CCCCccc3", "AAAAaaa1", "\n/other\n",
                           "BBBBbbb2  running  codex "}) {
    INFO(part);
    places.push_back(text.find(part));
    CHECK(places.back() != std::string::npos);
  }
  CHECK(std::is_sorted(places.begin(), places.end()));
  CHECK_THAT(text, Contains("running  claude#2 "));
  CHECK(runs_of(journal).at(0)["workspace"] == workspace.path());
}

TEST_CASE("ps --all shows when a run started and how long it ran") {
  WrittenJournal journal;
  journal.set_now(gibbous::inspect::unix_millis() - 3'600'000);
  journal.start("AAAAaaa1", "one", "make");
  journal.start("BBBBbbb2", "one", "never").started_at = 0;
  journal.advance(std::chrono::milliseconds(2'300));
  journal.end("AAAAaaa1", "completed");
  journal.end("BBBBbbb2", "killed");
  journal.flush();
  const std::string text = ps(journal, {"--all"}).out;
  CHECK_THAT(text, Contains("STARTED") && Contains("TIME"));
  CHECK(RE2::PartialMatch(text, "AAAAaaa1 +completed +one +\\d\\d:\\d\\d:\\d\\d +2.3s +-"));
  CHECK(RE2::PartialMatch(text, "BBBBbbb2 +killed +one +- +- +-"));
}

TEST_CASE("ps reports an empty list") {
  WrittenJournal journal;
  journal.flush();
  const Outcome none = ps(journal);
  CHECK(none.status.code == kDone);
  CHECK_THAT(none.out, Contains("no runs"));
  CHECK(runs_of(journal) == Json::array());
}

TEST_CASE("ps finds the processes of a run by their mark: resource use, ports, waiting for input") {
  MarkedProgram child({.argv = {fixture("listener"), "any4"}, .env = {}, .cwd = ""});
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "serve",
                {{"pid", child.program().pid()},
                 {"pid_started", gibbous::read_stat(child.program().pid())->start_time},
                 {"mark", child.mark()}});
  journal.flush();
  const std::string bound = child.program().read_line().value();
  child.program().write_line("listen");
  const int port = std::stoi(bound.substr(bound.find(' ')));
  const Json run = run_when(journal, [](const Json& each) {
    return each.contains("usage") && each["usage"].contains("waiting_for_input") &&
           !each["usage"]["ports"].empty();
  });
  CHECK(run["usage"]["processes"] == 1);
  CHECK(run["usage"]["rss_bytes"] > 0);
  CHECK(run["usage"]["ports"].at(0)["port"] == port);
  CHECK(run["usage"]["waiting_for_input"]["pid"] == child.program().pid());
  CHECK_THAT(ps(journal).out,
             Contains("running, waits for input") && Contains(std::to_string(port) + "*"));
}

TEST_CASE("ps marks a run without processes as one whose host is gone") {
  WrittenJournal journal;
  pid_t pid = 0;
  {
    Program child({.argv = {fixture("listener"), "v4"}, .env = {}, .cwd = ""});
    pid = child.pid();
  }
  journal.start("AAAAaaa1", "s", "serve", {{"pid", pid}, {"pid_started", 1}});
  journal.start("BBBBbbb2", "s", "nothing is known of this one");
  journal.flush();
  CHECK_THAT(ps(journal).out, Contains("running? (host gone)"));
  const Json runs = runs_of(journal);
  CHECK_FALSE(runs.at(0).contains("host_gone"));
  CHECK(runs.at(1)["host_gone"] == true);
}

TEST_CASE("ps survives any content of the journal") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "a").meta_json = R"({"pid":"x","mark":7,"label":[],"cpu_ms":-1})";
  journal.put("AAAAaaa1");
  journal.start("BBBBbbb2", "s", "b").meta_json = "[1,2";
  journal.put("BBBBbbb2");
  journal.start("CCCCccc3", "s", "c").meta_json = std::string(100'000, '[');
  journal.put("CCCCccc3");
  journal.flush();
  CHECK(runs_of(journal).size() == 3);
}
