// Limits: each is a named end with its figures, however it is enforced, and nothing stays in the
// file system of control groups.
#include <filesystem>
#include <fstream>
#include <set>

#include "runtime/process/cgroup_places.h"
#include "runtime/runs/describe.h"
#include "tests/runtime/runs/table.h"

namespace gibbous {
namespace {

using testing::Table;

constexpr std::uint64_t kMegabyte = 1U << 20;

class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    ::setenv(name, value, 1);
  }
  ~EnvironmentVariable() { ::unsetenv(name_); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
};

// Returns the directories of all keepers' groups.
std::set<std::string> groups() {
  std::set<std::string> found;
  const CgroupPlaces places = find_cgroup_places();
  for (const CgroupPlace* place : {&places.memory, &places.cpu, &places.pids, &places.kill}) {
    if (!place->ok()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(place->directory)) {
      const std::string name = entry.path().filename();
      if (name.rfind("gibbous-", 0) == 0) found.insert(entry.path());
    }
  }
  return found;
}

// Returns the groups of the run with this leader.
std::set<std::string> groups_of(pid_t pid) {
  std::set<std::string> found;
  std::ifstream file("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find("gibbous-");
    if (at != std::string::npos) found.insert(line.substr(at));
  }
  return found;
}

Run& start(Table& table, const std::string& command, const LimitSet& limits) {
  RunSpec spec;
  spec.command = command;
  spec.limits = limits;
  return table.start(std::move(spec));
}

TreeUsage usage_of(Table& table, Run& run) {
  bool done = false;
  TreeUsage usage;
  table.runs->usage(run, [&](Run&, const std::optional<RunUsage>& is) {
    done = true;
    if (is) usage = is->tree;
  });
  REQUIRE(table.loop.until([&] { return done; }));
  return usage;
}

LimitReached ended_by(Table& table, Run& run) {
  table.until_ended(run);
  INFO(to_string(run.state()) << ": " << run.reason());
  REQUIRE(run.state() == RunState::kKilled);
  REQUIRE(run.limit_reached());
  CHECK(run.reason() == describe_limit(*run.limit_reached()));
  return *run.limit_reached();
}

// With control groups, if there are any, and without.
template <typename Check>
void with_and_without_groups(Check check) {
  SECTION("held by the best that is here") {
    check(false);
  }
  SECTION("held by polling") {
    const EnvironmentVariable off("GIBBOUS_CGROUPS", "off");
    check(true);
  }
}

std::string eater(int mebibytes) {
  return "'" + testing::fixture("tree") + "' eat " + std::to_string(mebibytes) + " pause";
}

TEST_CASE("the usual time limit is that of what a call waits for, a configured one that of all") {
  struct Row {
    std::optional<bool> usual;
    Millis configured;
    Millis limit;     // at the start
    Millis detached;  // after Runs::detach()
  };
  const auto row = GENERATE(values<Row>({
      {std::nullopt, Millis{-1}, kUsualTimeout, Millis{0}},
      {false, Millis{-1}, Millis{0}, Millis{0}},
      {true, Millis{-1}, kUsualTimeout, kUsualTimeout},
      {std::nullopt, Millis{60'000}, Millis{60'000}, Millis{60'000}},
      {false, Millis{60'000}, Millis{60'000}, Millis{60'000}},
      {false, Millis{0}, Millis{0}, Millis{0}},
  }));
  RunLimits limits;
  limits.default_timeout = row.configured;
  Table table(limits);
  RunSpec spec;
  spec.command = "exec sleep 600";
  spec.usual_timeout = row.usual;
  Run& run = table.start(spec);
  CHECK(run.time_limit() == row.limit);
  table.runs->detach(run);
  CHECK(run.time_limit() == row.detached);
  table.kill(run);
}

TEST_CASE(
    "a run that is detached from its call outlives the usual limit, not a limit of all runs") {
  Table table;
  RunSpec spec;
  spec.command = "exec sleep 600";
  spec.limits.wall_time = Millis{300};
  Run& run = table.start(spec);
  table.runs->detach(run);
  table.until_ended(run);
  CHECK(run.state() == RunState::kTimeout);
}

TEST_CASE("a run that exceeds its memory limit ends as killed by memory") {
  with_and_without_groups([](bool polled) {
    Table table;
    LimitSet limits;
    limits.tree.memory_bytes = 32 * kMegabyte;
    Run& run = start(table, "exec " + eater(128), limits);
    if (polled) CHECK(run.limits_in_force().memory == LimitMeans::kPolling);
    const LimitReached reached = ended_by(table, run);
    CHECK(reached.kind == LimitKind::kMemory);
    CHECK(reached.limit == 32 * kMegabyte);
    CHECK(reached.used >= 31 * kMegabyte);
  });
}

TEST_CASE("a memory limit ends the whole tree, even if only a grandchild exceeds it") {
  with_and_without_groups([](bool) {
    Table table;
    LimitSet limits;
    limits.tree.memory_bytes = 32 * kMegabyte;
    Run& run = start(table, "(setsid " + eater(128) + "; true) & sleep 60", limits);
    CHECK(ended_by(table, run).kind == LimitKind::kMemory);
    CHECK(table.kill(run).survivors.empty());
  });
}

TEST_CASE("the memory of all processes together counts") {
  with_and_without_groups([](bool) {
    Table table;
    LimitSet limits;
    limits.tree.memory_bytes = 48 * kMegabyte;
    const std::string each = eater(24) + " & ";
    Run& run = start(table, each + each + each + "wait", limits);
    CHECK(ended_by(table, run).kind == LimitKind::kMemory);
  });
}

TEST_CASE(
    "pages that forked processes share count once where nothing but polling holds the limit") {
  const EnvironmentVariable off("GIBBOUS_CGROUPS", "off");
  Table table;
  LimitSet limits;
  limits.tree.memory_bytes = 64 * kMegabyte;
  const std::string forks = " fork { pause } fork { pause } fork { pause } ";
  Run& run =
      start(table, "exec '" + testing::fixture("tree") + "' eat 32" + forks + "pause", limits);
  REQUIRE(table.loop.until([&] { return usage_of(table, run).rss_bytes > 100 * kMegabyte; }));
  for (int looks = 0; looks < 20; ++looks) (void)usage_of(table, run);
  CHECK_FALSE(run.ended());
}

TEST_CASE("a file in memory that a process holds open counts where polling holds the limit") {
  const EnvironmentVariable off("GIBBOUS_CGROUPS", "off");
  Table table;
  LimitSet limits;
  limits.tree.memory_bytes = 32 * kMegabyte;
  const std::string file = "/dev/shm/gibbous-test-" + std::to_string(::getpid());
  Run& run = start(table,
                   "exec 3<>" + file + "; rm " + file +
                       "; while head -c 4194304 /dev/zero >&3; do sleep 0.1; done",
                   limits);
  const LimitReached reached = ended_by(table, run);
  CHECK(reached.kind == LimitKind::kMemory);
  CHECK(reached.used > 32 * kMegabyte);
  CHECK(reached.used < 64 * kMegabyte);
}

TEST_CASE("a tree that grows as fast as it can is ended before it has twice its limit") {
  const EnvironmentVariable off("GIBBOUS_CGROUPS", "off");
  Table table;
  LimitSet limits;
  limits.tree.memory_bytes = 256 * kMegabyte;
  Run& run = start(table, "exec " + eater(2048), limits);
  CHECK(ended_by(table, run).used < 768 * kMegabyte);
}

TEST_CASE("what a run leaves behind is ended once its limit has passed") {
  Table table;
  LimitSet limits;
  limits.left_behind = Millis(300);
  Run& run =
      start(table, "setsid sleep 60 >/dev/null 2>&1 & setsid sleep 61 >/dev/null 2>&1 &", limits);
  table.until_ended(run);
  CHECK(run.state() == RunState::kCompleted);
  REQUIRE(table.loop.until([&] { return run.left_behind() == 2; }));
  REQUIRE(table.loop.until([&] { return run.left_behind() == 0; }));
  CHECK(run.state() == RunState::kCompleted);
}

TEST_CASE("processor time is counted over children that have ended") {
  Table table;
  LimitSet limits;
  limits.tree.cpu_time = Millis(400);
  const std::string burn = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";
  Run& run = start(table, "while :; do sh -c '" + burn + "'; done", limits);
  CHECK(run.limits_in_force().cpu_time == LimitMeans::kPolling);
  const LimitReached reached = ended_by(table, run);
  CHECK(reached.kind == LimitKind::kCpuTime);
  CHECK(reached.used >= 400'000);
}

TEST_CASE("a run with more processes and threads than it may have ends") {
  with_and_without_groups([](bool) {
    Table table;
    LimitSet limits;
    limits.tree.pids = 4;
    Run& run = start(table, "for i in 1 2 3 4 5 6 7 8; do sleep 60 & done; wait; sleep 60", limits);
    const LimitReached reached = ended_by(table, run);
    CHECK(reached.kind == LimitKind::kPids);
    CHECK(reached.limit == 4);
  });
}

TEST_CASE("a run within its limits is left alone") {
  with_and_without_groups([](bool) {
    Table table;
    LimitSet limits;
    limits.tree = {64 * kMegabyte, std::chrono::seconds(10), 0, 50};
    limits.output_bytes = 100;
    limits.idle_time = Millis(60'000);
    limits.open_files = 64;
    limits.file_size_bytes = kMegabyte;
    Run& run = start(table, "echo fine; ulimit -n", limits);
    table.until_ended(run);
    CHECK(run.state() == RunState::kCompleted);
    CHECK(!run.limit_reached());
    CHECK(Table::text(run, StreamId::kStdout) == "fine\n64\n");
  });
}

TEST_CASE("output over the limit ends a run, counting both streams together") {
  Table table;
  LimitSet limits;
  limits.output_bytes = 5000;
  Run& run = start(table, "yes >&2 & yes", limits);
  const LimitReached reached = ended_by(table, run);
  CHECK(reached.kind == LimitKind::kOutput);
  CHECK(reached.used > 5000);
}

TEST_CASE("a silent run ends after its idle limit, and one that writes continues") {
  Table table;
  LimitSet limits;
  limits.idle_time = Millis(400);
  Run& silent = start(table, "echo once; sleep 60", limits);
  Run& speaking = start(table, "while :; do echo still; sleep 0.1; done", limits);
  CHECK(ended_by(table, silent).kind == LimitKind::kIdle);
  CHECK(!speaking.ended());
  table.kill(speaking, SIGKILL);
}

TEST_CASE("a file that grows past its limit ends the run") {
  Table table;
  testing::TempDir dir;
  LimitSet limits;
  limits.file_size_bytes = 3000;
  Run& run = start(table, "head -c 10000 /dev/zero > '" + dir.path() + "/file'", limits);
  CHECK(ended_by(table, run).kind == LimitKind::kFileSize);
  CHECK(std::filesystem::file_size(dir.path() + "/file") == 3000);
}

TEST_CASE("wall time is a time limit that a run cannot ask away") {
  Table table;
  LimitSet limits;
  limits.wall_time = Millis(200);
  RunSpec spec;
  spec.command = "sleep 60";
  spec.limits = limits;
  spec.timeout = Millis(0);
  Run& run = table.start(std::move(spec));
  table.until_ended(run);
  CHECK(run.state() == RunState::kTimeout);
}

TEST_CASE("the configured maximum holds for every run") {
  RunLimits allowed;
  allowed.run.output_bytes = 1000;
  allowed.run.tree.pids = 10;
  Table table(allowed);
  LimitSet asked;
  asked.output_bytes = 1'000'000;
  asked.tree.pids = 5;
  Run& run = start(table, "yes", asked);
  CHECK(run.spec().limits.output_bytes == 1000);
  CHECK(run.spec().limits.tree.pids == 5);
  CHECK(ended_by(table, run).kind == LimitKind::kOutput);
}

TEST_CASE("a share of a processor slows a run down") {
  if (!find_cgroup_places().cpu.ok()) {
    WARN("no cpu control group on this machine: not shown");
    return;
  }
  Table table;
  LimitSet limits;
  limits.tree.cpu_share_millis = 200;
  limits.wall_time = Millis(1000);
  Run& run = start(table, "while :; do :; done", limits);
  table.until_ended(run);
  const auto used = run.exit_status()->user + run.exit_status()->system;
  INFO(used.count() << " us");
  CHECK(used < std::chrono::milliseconds(450));  // 200 ms and the kernel's slices
}

TEST_CASE("a run that is being killed does not end by a limit as well") {
  Table table;
  LimitSet limits;
  limits.output_bytes = 5000;
  Run& run = start(table, "trap 'yes' TERM; echo up; while :; do sleep 0.01; done", limits);
  REQUIRE(table.loop.until([&run] { return run.stream(StreamId::kStdout).end() == 3; }));
  table.kill(run);
  CHECK(run.state() == RunState::kKilled);
  CHECK(run.reason() == "killed with SIGKILL, after SIGTERM");
  CHECK(!run.limit_reached());
}

TEST_CASE("a processor share that cannot be enforced refuses the start with the reason") {
  const EnvironmentVariable off("GIBBOUS_CGROUPS", "off");
  Table table;
  RunSpec spec;
  spec.command = "true";
  spec.limits.tree.cpu_share_millis = 500;
  Status status;
  table.start(std::move(spec), &status);
  CHECK(status.code() == "start_failed");
  CHECK_THAT(status.message(), Catch::Matchers::Contains("cpu_share"));
}

TEST_CASE("control groups are gone after each kind of end") {
  if (!find_cgroup_places().memory.ok() && !find_cgroup_places().kill.ok()) {
    WARN("no control groups on this machine: not shown");
    return;
  }
  LimitSet limits;
  limits.tree.memory_bytes = 64 * kMegabyte;
  limits.tree.pids = 40;
  const auto gone = [](Table& table, const std::set<std::string>& names) {
    return table.loop.until([&names] {
      for (const std::string& path : groups()) {
        for (const std::string& name : names) {
          const std::string keeper = name.substr(0, name.find('/'));
          if (path.find(keeper) != std::string::npos &&
              std::filesystem::exists(path + name.substr(name.find('/')))) {
            return false;
          }
        }
      }
      return true;
    });
  };
  Table table;
  SECTION("exit, with what it left behind") {
    RunSpec spec;
    spec.command = "sleep 60 & read line";
    spec.limits = limits;
    spec.stdin_pipe = true;
    Run& run = table.start(std::move(spec));
    const auto names = groups_of(run.pid());
    REQUIRE(!names.empty());
    table.runs->close_stdin(run);
    table.until_ended(run);
    REQUIRE(table.loop.until([&run] { return run.left_behind() == 1; }));
    table.kill(run, SIGKILL);
    CHECK(gone(table, names));
  }
  SECTION("kill") {
    Run& run = start(table, "setsid sleep 60 & sleep 60", limits);
    const auto names = groups_of(run.pid());
    REQUIRE(!names.empty());
    table.kill(run);
    CHECK(gone(table, names));
  }
  SECTION("shutdown") {
    Run& run = start(table, "sleep 60", limits);
    const auto names = groups_of(run.pid());
    table.close();
    CHECK(gone(table, names));
  }
  SECTION("the keeper's SIGKILL") {
    Run& run = start(table, "sleep 60", limits);
    const auto names = groups_of(run.pid());
    REQUIRE(!names.empty());
    ::kill(table.runs->keeper_pid(), SIGKILL);
    table.until_ended(run);
    CHECK(gone(table, names));
  }
}

}  // namespace
}  // namespace gibbous
