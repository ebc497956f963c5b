// Where control groups can be made, for every layout, and what a run's groups hold. Directories
// imitate the layouts, because the machine has only one.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "runtime/process/cgroup_places.h"
#include "runtime/process/mark.h"
#include "runtime/process/run_group.h"
#include "runtime/process/user_scope.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMegabyte = 1U << 20;

class Layout {
 public:
  // "gibbous" stands for the directory of the layout.
  void mount(const std::string& point, const std::string& type, const std::string& options,
             const std::string& root = "/") {
    fs::create_directories(dir.path() + point);
    mountinfo += "30 24 0:26 " + root + " " + dir.path() + point + " rw,nosuid shared:9 - " + type +
                 " " + type + " rw" + options + "\n";
  }
  void directory(const std::string& path) { fs::create_directories(dir.path() + path); }
  void file(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(dir.path() + path).parent_path());
    std::ofstream(dir.path() + path) << text;
  }
  std::string text(const std::string& path) const {
    std::ifstream in(dir.path() + path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  CgroupPlaces find(const std::string& own) const { return find_cgroup_places(mountinfo, own); }

  TempDir dir;
  std::string mountinfo = "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
};

TEST_CASE("version 2 with delegated controllers: groups are made where they are delegated") {
  Layout layout;
  layout.mount("/cg", "cgroup2", ",nsdelegate");
  layout.file("/cg/cgroup.subtree_control", "cpu memory pids");
  layout.file("/cg/user/session/cgroup.subtree_control", "memory pids");
  layout.file("/cg/user/session/app/cgroup.subtree_control", "");
  const CgroupPlaces places = layout.find("0::/user/session/app\n");
  CHECK(places.memory.version == LimitMeans::kCgroup2);
  CHECK(places.memory.directory == layout.dir.path() + "/cg/user/session");
  CHECK(places.pids.directory == layout.dir.path() + "/cg/user/session");
  CHECK(places.cpu.directory == layout.dir.path() + "/cg");
  CHECK(places.kill.directory == layout.dir.path() + "/cg/user/session/app");
}

TEST_CASE("the surrounding group says what was killed for memory, in either version") {
  Layout second;
  second.mount("/cg", "cgroup2", "");
  second.file("/cg/pod/memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 2\n");
  second.file("/cg/pod/memory.max", "536870912\n");
  second.directory("/cg/pod/app/gibbous-keeper");
  const CgroupPlace pod = second.find("0::/pod/app/gibbous-keeper\n").memory_around;
  CHECK(pod.directory == second.dir.path() + "/cg/pod");
  CHECK(count_memory_kills(pod) == 2);
  CHECK(memory_limit_of(pod) == 512 * kMegabyte);
  Layout first;
  first.mount("/cg/memory", "cgroup", ",memory", "/docker/7");
  first.file("/cg/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  first.file("/cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const CgroupPlace docker = first.find("4:memory:/docker/7\n0::/\n").memory_around;
  CHECK(count_memory_kills(docker) == 3);
  CHECK(memory_limit_of(docker) == 0);
  CHECK(count_memory_kills(Layout().find("0::/\n").memory_around) == 0);
}

TEST_CASE("a hybrid layout: version 2 for killing, version 1 for what only it has") {
  Layout layout;
  layout.mount("/cg/memory", "cgroup", ",memory");
  layout.mount("/cg/cpu,cpuacct", "cgroup", ",cpu,cpuacct");
  layout.mount("/cg/unified", "cgroup2", "");
  layout.file("/cg/unified/cgroup.subtree_control", "");
  layout.directory("/cg/memory/jobs/7");
  const CgroupPlaces places = layout.find("4:memory:/jobs/7\n1:cpu,cpuacct:/\n0::/\n");
  CHECK(places.memory.version == LimitMeans::kCgroup1);
  CHECK(places.memory.directory == layout.dir.path() + "/cg/memory/jobs/7");
  CHECK(places.cpu.directory == layout.dir.path() + "/cg/cpu,cpuacct");
  CHECK(!places.pids.ok());
  CHECK(places.kill.directory == layout.dir.path() + "/cg/unified");
}

TEST_CASE("a mount that shows a part of a hierarchy shows groups below that part") {
  Layout layout;
  layout.mount("/cg", "cgroup2", "", "/docker/abc");
  layout.file("/cg/cgroup.subtree_control", "memory");
  layout.file("/cg/inner/cgroup.subtree_control", "memory");
  CHECK(layout.find("0::/docker/abc/inner\n").memory.directory == layout.dir.path() + "/cg/inner");
  CHECK(!layout.find("0::/somewhere/else\n").memory.ok());
}

TEST_CASE("in a scope of its own the keeper makes groups beside the one that it is in") {
  Layout layout;
  layout.mount("/cg", "cgroup2", "");
  layout.file("/cg/app/gibbous-0000002a.scope/cgroup.subtree_control", "memory pids");
  layout.directory("/cg/app/gibbous-0000002a.scope/gibbous-keeper");
  const CgroupPlaces places = layout.find("0::/app/gibbous-0000002a.scope/gibbous-keeper\n");
  const std::string scope = layout.dir.path() + "/cg/app/gibbous-0000002a.scope";
  CHECK(places.memory.directory == scope);
  CHECK(places.pids.directory == scope);
  CHECK(!places.cpu.ok());
  CHECK(places.kill.directory == scope);
}

TEST_CASE("only a login session's group may be left for a scope") {
  const auto may = [](const std::string& groups) { return may_leave_groups(groups).ok(); };
  CHECK(may("0::/user.slice/user-1000.slice/session-3.scope\n"));
  CHECK(
      may("3:memory:/system.slice/ssh.service\n0::/user.slice/user-1000.slice/session-3.scope\n"));
  CHECK(may("0::/\n"));
  CHECK(may(""));
  CHECK(may("0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope\n"));
  CHECK(may("0::/user.slice/gibbous-work/gibbous-0000002\n"));
  for (const char* nested :
       {"0::/gibbous-0000002a/7\n", "4:memory:/gibbous-0000002a/7\n0::/session-3.scope\n",
        "0::/app/gibbous-0000002a.scope/gibbous-keeper\n", "0::/app/gibbous-0000002a.scope\n",
        "0::/x/gibbous-keeper/made-below\n"}) {
    const Status status = may_leave_groups(nested);
    INFO(nested << status.message());
    CHECK(status.message().find("another Gibbous") != std::string::npos);
  }
  CHECK(may_leave_groups("0::/system.slice/agent.service\n").message().find("service") !=
        std::string::npos);
  CHECK(!may("0::/system.slice/agent.service/inner\n"));
}

TEST_CASE("what bears the mark of a run, or its variable, leaves no group for a scope") {
  const auto child_may = [](const std::function<void()>& become) {
    const pid_t pid = patient_fork();
    if (pid == 0) {
      become();
      ::_exit(may_leave_groups("0::/session-3.scope\n") ? 0 : 1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  };
  CHECK(child_may([] {}));
  CHECK(!child_may([] { ::setenv("GIBBOUS_RUN", "abc", 1); }));
  CHECK(!child_may([] { ::setenv("GIBBOUS_CGROUPS", "off", 1); }));
  for (const int resource : kMarkResources) {
    CHECK(!child_may([resource] {
      const rlimit limit = mark_limit({42, 7}, MarkMode::kHard, resource);
      ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
    }));
  }
}

TEST_CASE("without control groups, or with malformed texts, there are no places") {
  const Layout layout;
  for (const char* own : {"", "\n", "0::/\n", "nonsense", "::", "1:memory"}) {
    const CgroupPlaces places = layout.find(own);
    CHECK(!places.memory.ok());
    CHECK(!places.cpu.ok());
    CHECK(!places.kill.ok());
  }
  CHECK(!find_cgroup_places("30 24 - cgroup2\n - \n1 2 3 4 5 - cgroup2 x", "0::/\n").kill.ok());
}

TEST_CASE("a run's group in version 2 gets its limits, and reports the one that was reached") {
  Layout layout;
  layout.mount("/cg", "cgroup2", "");
  layout.file("/cg/cgroup.subtree_control", "cpu memory pids");
  const std::string group = "/cg/gibbous-0000002a/3";
  for (const char* name :
       {"cgroup.procs", "memory.max", "memory.swap.max", "memory.oom.group", "memory.events",
        "memory.peak", "pids.max", "pids.events", "cpu.max", "cgroup.kill"}) {
    layout.file(group + "/" + name, "");
  }
  TreeLimits limits;
  limits.memory_bytes = 64 * kMegabyte;
  limits.pids = 20;
  limits.cpu_share_millis = 1500;
  auto made = RunGroup::create(layout.find("0::/\n"), keeper_group_name(42), 3, limits);
  REQUIRE(made.ok());
  RunGroup& run = **made;
  CHECK(run.in_force().memory == LimitMeans::kCgroup2);
  CHECK(run.in_force().pids == LimitMeans::kCgroup2);
  CHECK(run.in_force().cpu_share == LimitMeans::kCgroup2);
  CHECK(run.entries().empty());
  CHECK(run.birthplace() >= 0);
  CHECK(run.needs_birthplace());
  CHECK(layout.text(group + "/memory.max") == "67108864");
  CHECK(layout.text(group + "/memory.swap.max") == "0");
  CHECK(layout.text(group + "/memory.oom.group") == "1");
  CHECK(layout.text(group + "/pids.max") == "20");
  CHECK(layout.text(group + "/cpu.max") == "150000 100000");
  CHECK(!run.reached());
  layout.file(group + "/pids.events", "max 2\n");
  REQUIRE(run.reached());
  CHECK(run.reached()->kind == LimitKind::kPids);
  layout.file(group + "/memory.events", "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n");
  layout.file(group + "/memory.peak", "67000000\n");
  REQUIRE(run.reached());
  CHECK(run.reached()->kind == LimitKind::kMemory);
  CHECK(run.reached()->used == 67'000'000);
  run.kill();
  CHECK(layout.text(group + "/cgroup.kill") == "1");
}

TEST_CASE("in version 2 a run has one group, even where controllers are delegated elsewhere") {
  Layout layout;
  layout.mount("/cg", "cgroup2", "");
  layout.file("/cg/cgroup.subtree_control", "cpu memory");
  layout.file("/cg/user/cgroup.subtree_control", "memory");
  layout.file("/cg/user/app/cgroup.subtree_control", "");
  layout.file("/cg/user/gibbous-0000002a/3/memory.max", "");
  TreeLimits limits;
  limits.memory_bytes = 64 * kMegabyte;
  limits.cpu_share_millis = 500;
  const CgroupPlaces places = layout.find("0::/user/app\n");
  const auto made = RunGroup::create(places, keeper_group_name(42), 3, limits);
  REQUIRE(made.ok());
  CHECK((*made)->in_force().memory == LimitMeans::kCgroup2);
  CHECK((*made)->in_force().cpu_share == LimitMeans::kNone);
  CHECK_FALSE(fs::exists(layout.dir.path() + "/cg/user/app/gibbous-0000002a"));
  const auto none = RunGroup::create(places, keeper_group_name(42), 4, {});
  REQUIRE(none.ok());
  CHECK_FALSE((*none)->needs_birthplace());
  CHECK(fs::exists(layout.dir.path() + "/cg/user/app/gibbous-0000002a/4"));
  const std::string procs = "/cg/user/app/gibbous-0000002a/4/cgroup.procs";
  layout.file(procs, "");
  (*none)->close_entries();
  CHECK((*none)->birthplace() < 0);
  CHECK((*none)->open_again());
  CHECK((*none)->birthplace() >= 0);
  layout.file(procs, "123\n");
  CHECK_FALSE((*none)->open_again());
  layout.file(procs, "");
  CHECK((*none)->open_again());
  (*none)->kill();
  CHECK_FALSE((*none)->open_again());
  fs::remove_all(layout.dir.path() + "/cg/user/app/gibbous-0000002a/4");
  CHECK_FALSE((*none)->open_again());
}

TEST_CASE("a group that cannot be made names the file") {
  Layout layout;
  layout.mount("/cg", "cgroup2", "");
  layout.file("/cg/cgroup.subtree_control", "memory");
  TreeLimits limits;
  limits.memory_bytes = kMegabyte;
  const auto made = RunGroup::create(layout.find("0::/\n"), keeper_group_name(1), 1, limits);
  REQUIRE(!made.ok());
  CHECK_THAT(made.status().message(), Catch::Matchers::Contains("gibbous-00000001/1/"));
}

TEST_CASE("sweeping leaves young and used groups alone") {
  Layout layout;
  layout.mount("/cg", "cgroup2", "");
  layout.file("/cg/cgroup.subtree_control", "memory");
  layout.directory("/cg/gibbous-00000001/1");
  layout.file("/cg/gibbous-00000002/1/holds", "something");
  layout.directory("/cg/other/1");
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  layout.directory("/cg/gibbous-00000003/1");
  for (const char* old : {"/cg/gibbous-00000003/1", "/cg/gibbous-00000002/1", "/cg/other/1"}) {
    fs::last_write_time(layout.dir.path() + old, long_ago);
  }
  fs::last_write_time(layout.dir.path() + "/cg/gibbous-00000003", long_ago);
  sweep_groups(layout.find("0::/\n"));
  CHECK(fs::exists(layout.dir.path() + "/cg/gibbous-00000001/1"));
  CHECK(fs::exists(layout.dir.path() + "/cg/gibbous-00000002/1"));
  CHECK(fs::exists(layout.dir.path() + "/cg/other/1"));
  CHECK(!fs::exists(layout.dir.path() + "/cg/gibbous-00000003/1"));
}

}  // namespace
}  // namespace gibbous::testing
