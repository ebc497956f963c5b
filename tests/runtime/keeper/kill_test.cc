// Ending trees: which processes get which signal, in what order, what is reported, and what is
// known of processes that the leader has left behind.
#include <chrono>
#include <set>

#include "tests/runtime/keeper/harness.h"

namespace gibbous::testing {
namespace {

constexpr Millis kLongGrace{60'000};
constexpr Millis kShortGrace{100};

Steps concat(Steps steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}

// A tree whose processes print "up" when they have taken their final form.
struct Shape {
  const char* name;
  Steps steps;  // without the tag
  std::size_t processes;
  bool ends_on_term;
};

constexpr const char* kMarkless = "a daemon that took its mark off";

std::vector<Shape> shapes() {
  std::vector<Shape> all{
      {"one process", {"print", "up", "pause"}, 1, true},
      {"a child in the group",
       {"fork", "{", "print", "up", "pause", "}", "print", "up", "pause"},
       2,
       true},
      {"a setsid grandchild",
       {"fork", "{", "fork", "{", "setsid", "print", "up", "pause", "}", "print", "up", "pause",
        "}", "print", "up", "pause"},
       3,
       true},
      {"a double-forked daemon",
       {"double-fork", "{", "setsid", "print", "up", "pause", "}", "print", "up", "pause"},
       2,
       true},
      {"without environment and descriptors",
       {"double-fork", "{", "setsid", "print", "up", "clear-env", "close-all", "pause", "}",
        "print", "up", "pause"},
       2,
       true},
      {"forked by another thread",
       {"thread-fork", "{", "setsid", "print", "up", "pause", "}", "print", "up", "pause"},
       2,
       true},
      {"stopped",
       {"fork", "{", "print", "up", "stop", "pause", "}", "print", "up", "stop", "pause"},
       2,
       true},
      {"a leader that ignores SIGTERM", {"ignore", "SIGTERM", "print", "up", "pause"}, 1, false},
      {"a daemon that ignores SIGTERM",
       {"double-fork", "{", "setsid", "ignore", "SIGTERM", "print", "up", "pause", "}", "print",
        "up", "pause"},
       2,
       false},
      {kMarkless,
       {"double-fork", "{", "setsid", "reset-limit", "print", "up", "pause", "}", "print", "up",
        "pause"},
       2,
       true},
  };
  if (!may_reset_limits()) all.pop_back();
  return all;
}

TEST_CASE("only the tree without a mark needs a privilege, and all others are tested everywhere") {
  if (!may_reset_limits()) WARN("without CAP_SYS_RESOURCE there is no test of " << kMarkless);
  std::set<std::string> names;
  for (const Shape& shape : shapes()) names.insert(shape.name);
  CHECK(names.size() == shapes().size());
  CHECK(names.count(kMarkless) == (may_reset_limits() ? 1 : 0));
  for (const char* name : {"one process", "a setsid grandchild", "a double-forked daemon",
                           "without environment and descriptors", "forked by another thread",
                           "stopped", "a daemon that ignores SIGTERM"}) {
    INFO(name);
    CHECK(names.count(name) == 1);
  }
}

TEST_CASE("kill ends the whole tree, whatever its shape") {
  for (const Shape& shape : shapes()) {
    DYNAMIC_SECTION(shape.name) {
      Harness harness;
      const std::string tag = unique_tag();
      const RunKey run = harness.start_running(Harness::tree(concat({"tag", tag}, shape.steps)));
      harness.read_lines(run, shape.processes);
      REQUIRE(harness.wait_for([&] { return alive_with(tag).size() == shape.processes; }));
      harness.client().kill(run, SIGTERM, shape.ends_on_term ? kLongGrace : kShortGrace);
      REQUIRE(harness.wait_report(run));
      // The report is true: nothing is left when it comes.
      CHECK(alive_with(tag).empty());
      const KillReport& report = harness.run(run).reports.front();
      CHECK(std::string(to_string(report.how)) == (shape.ends_on_term ? "signal" : "escalated"));
      CHECK(report.dead == shape.processes);
      CHECK(report.survivors.empty());
      REQUIRE(harness.run(run).exits.size() == 1);
    }
  }
}

TEST_CASE("SIGKILL needs no grace") {
  for (const Shape& shape : shapes()) {
    DYNAMIC_SECTION(shape.name) {
      Harness harness;
      const std::string tag = unique_tag();
      const RunKey run = harness.start_running(Harness::tree(concat({"tag", tag}, shape.steps)));
      harness.read_lines(run, shape.processes);
      harness.client().kill(run, SIGKILL, kLongGrace);
      REQUIRE(harness.wait_report(run));
      CHECK(alive_with(tag).empty());
      CHECK(harness.run(run).reports.front().how == KillReport::How::kSignal);
      CHECK(harness.run(run).exits.front().signal == SIGKILL);
    }
  }
}

TEST_CASE("a storm of forks is ended") {
  Harness harness;
  const std::string tag = unique_tag();
  const RunKey run = harness.start_running(Harness::tree(
      {"tag", tag, "double-fork", "{", "setsid", "storm", "}", "print", "up", "pause"}));
  harness.read_lines(run, 1);
  harness.client().kill(run, SIGKILL, Millis(0));
  REQUIRE(harness.wait_report(run));
  CHECK(harness.run(run).reports.front().how != KillReport::How::kSurvivors);
  CHECK(alive_with(tag).empty());
}

TEST_CASE("the report comes as soon as the tree is gone, not at the end of the grace") {
  Harness harness;
  const RunKey run = harness.start_running(Harness::tree({"print", "up", "pause"}));
  harness.read_lines(run, 1);
  const auto before = std::chrono::steady_clock::now();
  harness.client().kill(run, SIGTERM, kLongGrace);
  REQUIRE(harness.wait_report(run));
  CHECK(std::chrono::steady_clock::now() - before < kLongGrace / 4);
}

TEST_CASE("the exit of a leader is reported even though its tree lives on") {
  Harness harness;
  const std::string tag = unique_tag();
  const RunKey run =
      harness.start_running(Harness::tree({"tag", tag, "ignore", "SIGTERM", "double-fork", "{",
                                           "setsid", "print", "up", "pause", "}", "exit", "5"}));
  harness.read_lines(run, 1);
  REQUIRE(harness.wait_exit(run));
  CHECK(harness.run(run).exits.front().code == 5);
  REQUIRE(harness.wait_for([&] { return !harness.run(run).left.empty(); }));
  CHECK(harness.run(run).left == std::vector<std::uint32_t>{1});

  SECTION("kill ends what was left, and says so") {
    harness.client().kill(run, SIGTERM, kShortGrace);
    REQUIRE(harness.wait_report(run));
    CHECK(alive_with(tag).empty());
    CHECK(harness.run(run).reports.front().how == KillReport::How::kEscalated);
    CHECK(harness.run(run).reports.front().dead == 1);
    CHECK(harness.run(run).left.back() == 0);
  }
  SECTION("its own end is reported") {
    for (const pid_t pid : alive_with(tag)) ::kill(pid, SIGKILL);
    REQUIRE(harness.wait_for([&] { return harness.run(run).left.back() == 0; }));
  }
}

TEST_CASE("the count of processes left behind falls as they end") {
  Harness harness;
  const std::string tag = unique_tag();
  const Steps orphan{"double-fork", "{", "setsid", "print", "%p", "pause", "}"};
  const RunKey run = harness.start_running(
      Harness::tree(concat(concat(concat({"tag", tag}, orphan), orphan), {"exit", "0"})));
  const auto lines = lines_of(harness.read_lines(run, 2));
  REQUIRE(lines.size() == 2);
  REQUIRE(harness.wait_for([&] { return !harness.run(run).left.empty(); }));
  CHECK(harness.run(run).left.back() == 2);
  ::kill(std::stoi(lines[0]), SIGKILL);
  REQUIRE(harness.wait_for([&] { return harness.run(run).left.back() == 1; }));
  ::kill(std::stoi(lines[1]), SIGKILL);
  REQUIRE(harness.wait_for([&] { return harness.run(run).left.back() == 0; }));
}

TEST_CASE("a run that leaves nothing behind reports nothing left behind") {
  Harness harness;
  const RunKey run = harness.start_running(
      Harness::tree({"fork", "{", "exit", "0", "}", "wait-children", "exit", "0"}));
  REQUIRE(harness.wait_exit(run));
  harness.client().kill(run, SIGTERM, kLongGrace);
  REQUIRE(harness.wait_report(run));
  CHECK(harness.run(run).reports.front().how == KillReport::How::kGone);
  CHECK(harness.run(run).reports.front().dead == 0);
  for (const std::uint32_t left : harness.run(run).left) CHECK(left == 0);
}

TEST_CASE("each kill gets a report, and a later one can be stricter than the first") {
  Harness harness;
  const RunKey run =
      harness.start_running(Harness::tree({"ignore", "SIGTERM", "print", "up", "pause"}));
  harness.read_lines(run, 1);
  harness.client().kill(run, SIGTERM, kLongGrace);
  SECTION("by SIGKILL") {
    harness.client().kill(run, SIGKILL, kLongGrace);
  }
  SECTION("by a shorter grace") {
    harness.client().kill(run, SIGTERM, kShortGrace);
  }
  SECTION("by another signal") {
    harness.client().kill(run, SIGINT, kLongGrace);
  }
  REQUIRE(harness.wait_report(run, 2));
  CHECK(harness.run(run).exits.size() == 1);
}

TEST_CASE("a kill of an unknown run is answered") {
  Harness harness;
  constexpr RunKey kUnknown = 4711;
  harness.client().kill(kUnknown, SIGTERM, kLongGrace);
  CHECK(harness.run(kUnknown).reports.empty());
  REQUIRE(harness.wait_report(kUnknown));
  CHECK(harness.run(kUnknown).reports.front().how == KillReport::How::kGone);
}

TEST_CASE("signal reaches every process of the tree once and does not escalate") {
  Harness harness;
  const std::string tag = unique_tag();
  const RunKey run = harness.start_running(
      Harness::tree({"tag", tag, "double-fork", "{", "setsid", "print", "up", "pause", "}",
                     "ignore", "SIGHUP", "print", "up", "pause"}));
  harness.read_lines(run, 2);
  harness.client().signal(run, SIGHUP);
  REQUIRE(harness.wait_for([&] { return alive_with(tag).size() == 1; }));
  CHECK(is_alive(harness.run(run).pid));
  harness.client().signal(run, SIGUSR1);
  REQUIRE(harness.wait_exit(run));
  CHECK(harness.run(run).exits.front().signal == SIGUSR1);
}

TEST_CASE("a kill hits one run and no other") {
  Harness harness;
  const Steps steps{"double-fork", "{", "setsid", "print", "up",
                    "pause",       "}", "print",  "up",    "pause"};
  const std::string tag = unique_tag();
  const std::string other_tag = unique_tag();
  const RunKey run = harness.start_running(Harness::tree(concat({"tag", tag}, steps)));
  const RunKey other = harness.start_running(Harness::tree(concat({"tag", other_tag}, steps)));
  harness.read_lines(run, 2);
  harness.read_lines(other, 2);
  harness.client().kill(run, SIGKILL, Millis(0));
  REQUIRE(harness.wait_report(run));
  CHECK(alive_with(tag).empty());
  CHECK(alive_with(other_tag).size() == 2);
}

TEST_CASE("a forgotten run is not reported again, and an earlier kill is carried out") {
  Harness harness;
  const std::string tag = unique_tag();
  const RunKey run = harness.start_running(Harness::tree({"tag", tag, "print", "up", "pause"}));
  harness.read_lines(run, 1);
  harness.client().kill(run, SIGTERM, kLongGrace);
  harness.client().forget(run);
  REQUIRE(harness.wait_for([&] { return alive_with(tag).empty(); }));
  const RunKey next = harness.start_running(Harness::tree({"exit", "0"}));
  REQUIRE(harness.wait_exit(next));
  CHECK(harness.run(run).exits.empty());
  CHECK(harness.run(run).reports.empty());
}

TEST_CASE("a thousand runs are killed at once") {
  Harness harness;
  constexpr std::size_t kRuns = 1000;
  const std::string tag = unique_tag();
  StartRequest request;
  request.argv = {"/bin/sleep", "100000"};
  request.cwd = "/";
  request.out = request.err = StdioKind::kNull;
  std::vector<RunKey> runs;
  for (std::size_t i = 0; i < kRuns; ++i) runs.push_back(harness.start(request));
  for (const RunKey run : runs) {
    REQUIRE(harness.wait_for([&] { return harness.run(run).started; }));
    harness.run(run).pidfd.reset();
  }
  for (const RunKey run : runs) harness.client().kill(run, SIGTERM, kLongGrace);
  for (const RunKey run : runs) {
    REQUIRE(harness.wait_report(run));
    REQUIRE(harness.run(run).exits.size() == 1);
  }
}

}  // namespace
}  // namespace gibbous::testing
