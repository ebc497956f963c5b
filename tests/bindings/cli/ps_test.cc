// `gibbous ps`, over a journal that the test writes and processes that it starts.
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <vector>

#include "runtime/process/mark.h"
#include "runtime/process/proc.h"
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

// The first run, once this holds for it.
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
