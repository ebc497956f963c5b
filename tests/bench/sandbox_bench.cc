// What a sandbox adds to a run: from the start of /bin/true to its reported end, one at a time,
// alone and in a host.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <lua.hpp>
#include <memory>
#include <optional>

#include "gibbous/runtime.h"
#include "tests/bench/harness.h"
#include "tests/bench/table.h"

namespace gibbous::bench {
namespace {

namespace fs = std::filesystem;

constexpr Amount<int> kRounds{300, 5};
constexpr Amount<int> kWarmUps{10, 1};
constexpr double kSandboxAtMostMs = 1;
constexpr double kBwrapAtMostMs = 7;

// A workspace with a repository in it, gone with the object.
class Workspace {
 public:
  Workspace() {
    std::string path = (fs::temp_directory_path() / "gibbous-bench-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) std::abort();
    path_ = path;
    fs::create_directories(path_ + "/.git/hooks");
    if (!fs::copy_file("/etc/hostname", path_ + "/.git/config")) std::abort();
  }
  ~Workspace() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A list of the profile on top of the stack, with its variables replaced.
std::vector<std::string> list_of(lua_State* state, const char* name, const std::string& workspace) {
  const char* const variable = std::getenv("HOME");
  const std::string home = variable != nullptr ? variable : "/root";
  std::vector<std::string> paths;
  lua_getfield(state, -1, name);
  for (int i = 1; i <= static_cast<int>(lua_objlen(state, -1)); ++i) {
    lua_rawgeti(state, -1, i);
    const std::string path = lua_tostring(state, -1);
    lua_pop(state, 1);
    if (path.starts_with("$WORKSPACE")) {
      paths.push_back(workspace + path.substr(std::min(path.find('/'), path.size())));
    } else if (path == "$TMP") {
      paths.insert(paths.end(), {"/tmp", "/var/tmp"});
    } else if (path.front() == '~') {
      paths.push_back(home + path.substr(1));
    } else if (path.front() == '/') {
      paths.push_back(path);
    }
  }
  lua_pop(state, 1);
  return paths;
}

// The profile `workspace` of policies/lib/sandbox.lua.
SandboxSpec workspace_profile(const std::string& workspace, SandboxNetwork network) {
  const std::unique_ptr<lua_State, decltype(&lua_close)> lua(luaL_newstate(), &lua_close);
  lua_State* const state = lua.get();
  luaL_openlibs(state);
  const std::string policies = program_directory() + "/share/gibbous/policies";
  lua_getglobal(state, "package");
  lua_pushstring(state, (policies + "/lib/?.lua").c_str());  // what sandbox.lua requires
  lua_setfield(state, -2, "path");
  lua_pop(state, 1);
  if (luaL_dofile(state, (policies + "/lib/sandbox.lua").c_str()) != 0) {
    std::fprintf(stderr, "%s\n", lua_tostring(state, -1));
    std::abort();
  }
  lua_getfield(state, -1, "PROFILES");
  lua_getfield(state, -1, "workspace");
  SandboxSpec spec;
  spec.profile = "workspace";
  spec.network = network;
  spec.read = list_of(state, "read", workspace);
  spec.write = list_of(state, "write", workspace);
  spec.unreadable = list_of(state, "unreadable", workspace);
  spec.unwritable = list_of(state, "unwritable", workspace);
  spec.pinned = list_of(state, "pinned", workspace);
  spec.occupied = list_of(state, "occupied", workspace);
  lua_getfield(state, -1, "temporary");
  spec.own_temporary = lua_isstring(state, -1) != 0;
  lua_pop(state, 1);
  return spec;
}

// As scripts/executors/bwrap.lua has it.
std::vector<std::string> in_bwrap(const std::string& workspace) {
  const std::string repository = workspace + "/.git";
  const std::string hooks = repository + "/hooks";
  const std::string config = repository + "/config";
  return {"bwrap",
          "--unshare-user-try",
          "--unshare-ipc",
          "--unshare-pid",
          "--unshare-uts",
          "--unshare-cgroup-try",
          "--die-with-parent",
          "--new-session",
          "--cap-drop",
          "ALL",
          "--unshare-net",
          "--ro-bind",
          "/",
          "/",
          "--dev",
          "/dev",
          "--proc",
          "/proc",
          "--tmpfs",
          "/tmp",
          "--bind",
          workspace,
          workspace,
          "--bind-try",
          repository,
          repository,
          "--ro-bind-try",
          hooks,
          hooks,
          "--ro-bind-try",
          config,
          config,
          "--chdir",
          workspace,
          "--",
          "/bin/true"};
}

struct Way {
  std::vector<std::string> argv = {"/bin/true"};
  std::optional<SandboxSpec> sandbox;
  std::vector<double> milliseconds;
  bool works = true;
  SandboxReport in_force;
};

// From start() to the reported end; false when it was not what was asked for.
bool measure(Table& table, Way& way, bool keep) {
  RunSpec spec;
  spec.argv = way.argv;
  spec.sandbox = way.sandbox;
  bool completed = false;
  const double elapsed = timed([&] {
    auto run = table.runs->start(std::move(spec), nullptr);
    if (!run.ok()) return;
    Run* const started = *run;
    table.until([started] { return started->ended() && started->drained(); });
    completed = started->state() == RunState::kCompleted;
    way.in_force = started->sandbox_report();
  });
  if (completed && keep) way.milliseconds.push_back(elapsed);
  return completed;
}

// A host of a workspace, in one mode.
std::unique_ptr<Runtime> host_of(const Workspace& workspace, const Workspace& state,
                                 const char* mode) {
  RuntimeOptions options;
  options.mode = mode;
  options.workspace = workspace.path();
  options.state_dir = state.path() + "/" + mode;
  auto made = Runtime::create(options);
  if (!made) std::abort();
  return std::move(*made);
}

// From the call to its answer, which comes with the end of the run.
double start_millis(Runtime& runtime) {
  bool done = false;
  const double millis = timed([&] {
    runtime.call({"bg_start", R"({"command":"/bin/true","until":{"exit":true}})"},
                 [&done](const CallResult& result) {
                   if (!result.ok) std::abort();
                   done = true;
                 });
    while (!done) runtime.wait(std::chrono::seconds(1));
  });
  // What looks at the workspace after a run has its time, as between the calls of an agent.
  const auto end = Steady::now() + std::chrono::milliseconds(Amount<int>{200, 1});
  while (Steady::now() < end) runtime.wait(std::chrono::milliseconds(10));
  return millis;
}

// What a mode with a sandbox adds to a start, in a workspace with these directories.
double added_millis(int packages) {
  constexpr Amount<int> kStarts{20, 2};
  constexpr int kDirectoriesEach = 5;
  const Workspace workspace;
  const Workspace state;
  for (int i = 0; i < packages; ++i) {
    const std::string package = workspace.path() + "/node_modules/p" + std::to_string(i) + "/";
    for (int j = 0; j < kDirectoriesEach; ++j) fs::create_directories(package + std::to_string(j));
  }
  const auto free = host_of(workspace, state, "dangerous");
  const auto inside = host_of(workspace, state, "auto");
  std::vector<double> added;
  for (int i = -2; i < kStarts; ++i) {
    const double without = start_millis(*free);
    const double with = start_millis(*inside);
    if (i >= 0) added.push_back(with - without);
  }
  return median(added);
}

void bench_workspaces(Report& report) {
  constexpr double kAtMostMs = 1.5;
  const double empty = added_millis(0);
  report.add({"mode auto, an empty workspace: overhead", "ms", empty, {}, "", {}, kAtMostMs});
  const auto more = [&](const char* name, int packages) {
    report.add({name, "ms", added_millis(packages) - empty, {}, "", {}, kAtMostMs});
  };
  more("what 6,000 directories in node_modules add to that", 1'000);
  more("what 30,000 directories add to that", 5'000);
}

}  // namespace

void bench_sandbox(Report& report) {
  report.section("A sandbox (/bin/true from start to reported end)");
  const Workspace workspace;
  RunLimits limits;
  limits.max_ended = 8;
  limits.default_timeout = Millis{0};
  Table table(limits);
  enum : std::size_t { kNone, kWorkspace, kLoopback, kBwrap, kWays };
  std::array<Way, kWays> ways;
  ways[kWorkspace].sandbox = workspace_profile(workspace.path(), SandboxNetwork::kOn);
  ways[kLoopback].sandbox = workspace_profile(workspace.path(), SandboxNetwork::kLoopback);
  ways[kBwrap].argv = in_bwrap(workspace.path());
  // Taken in turns, so that all see the same machine.
  for (int round = -kWarmUps; round < kRounds; ++round) {
    for (Way& way : ways) way.works = way.works && measure(table, way, round >= 0);
  }
  if (!ways[kNone].works) std::abort();
  const double plain = median(ways[kNone].milliseconds);
  report.add({"no sandbox", "ms", plain, {}, "", {}, {}});
  const auto add = [&](const char* name, const char* row, std::size_t index,
                       std::optional<double> at_most) {
    const Way& way = ways[index];
    if (!way.works) {
      report.note(std::string(name) + ": cannot be had on this machine, its rows are missing");
      return;
    }
    const double whole = median(way.milliseconds);
    report.add({name, "ms", whole, plain, "no sandbox", {}, {}});
    report.add({row, "ms", whole - plain, {}, "", {}, at_most});
  };
  add("workspace", "overhead of workspace", kWorkspace, kSandboxAtMostMs);
  add("workspace, network loopback", "overhead of workspace with loopback", kLoopback, {});
  const SandboxReport& in_force = ways[kWorkspace].in_force;
  report.note("workspace: Landlock ABI " + std::to_string(in_force.landlock_abi) +
              (in_force.mount_namespace ? ", with" : ", without") + " a mount namespace");
  add("bwrap", "overhead of bwrap", kBwrap, kBwrapAtMostMs);
  bench_workspaces(report);
}

}  // namespace gibbous::bench
