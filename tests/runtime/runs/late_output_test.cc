// Output that a busy host reads only after the exit of the run has been waited for long enough.
#include <chrono>

#include "tests/runtime/runs/table.h"
#include "tests/support/catch.h"

namespace gibbous::testing {
namespace {

// A host that does something else for longer than it waits for output, with every piece of it.
class BusyHost final : public RunsObserver {
 public:
  void on_output(Run&, StreamId, Offset) override {
    const auto until = std::chrono::steady_clock::now() + 2 * kLimit;
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  static constexpr Millis kLimit{1};
};

RunLimits impatient() {
  RunLimits limits;
  limits.drain_limit = BusyHost::kLimit;
  return limits;
}

TEST_CASE("a busy host shows all that a run wrote before its exit") {
  BusyHost busy;
  Table table(impatient());
  table.runs->add_observer(&busy);
  RunSpec spec;
  spec.command = "seq 1 20000";
  SECTION("through pipes") {
    Run& run = table.start(spec);
    table.until_ended(run);
    CHECK(Table::text(run, StreamId::kStdout).ends_with("20000\n"));
  }
  SECTION("through a terminal") {
    spec.terminal = TerminalSpec();
    Run& run = table.start(spec);
    table.until_ended(run);
    CHECK(Table::text(run, StreamId::kStdout).ends_with("20000\r\n"));
  }
  table.runs->remove_observer(&busy);
}

TEST_CASE("a run that ended while its host stood still was in time") {
  Table table;
  RunSpec spec;
  spec.command = "read line; echo done";
  spec.stdin_pipe = true;
  spec.timeout = Millis{200};
  Run& run = table.start(spec);
  table.runs->write(run, "go\n", [](Status) {});
  table.loop.turn();
  const Nanos end = table.clock.now() + Millis{400};
  while (table.clock.now() < end || ::kill(run.pid(), 0) == 0) {
  }
  table.until_ended(run);
  CHECK(run.state() == RunState::kCompleted);
  CHECK(run.reason() == "exit code 0");
}

TEST_CASE("a busy host does not wait for what others write after the exit") {
  BusyHost busy;
  Table table(impatient());
  table.runs->add_observer(&busy);
  RunSpec spec;
  spec.command = "yes & exit 3";
  SECTION("through pipes") {}
  SECTION("through a terminal") {
    spec.terminal = TerminalSpec();
  }
  Run& run = table.start(spec);
  table.until_ended(run);
  CHECK(run.exit_status()->code == 3);
  table.runs->remove_observer(&busy);
}

}  // namespace
}  // namespace gibbous::testing
