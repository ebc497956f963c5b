// Trees of processes that are hard to end, and the `gibbous session` that runs them. The tests read
// from /proc which processes are left. For the tests and the soak of containment.
#pragma once

#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/process/cgroup_places.h"
#include "runtime/process/proc.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

using std::chrono::milliseconds;

inline constexpr milliseconds kGrace{300};  // every grace of the configuration below
inline constexpr milliseconds kGone = kGrace + milliseconds{1'000};
inline constexpr milliseconds kTimeLimit{2'000};
inline constexpr int kMemoryLimit = 80 << 20;

using Steps = std::vector<std::string>;

struct Tree {
  const char* name;
  Steps steps;               // each process prints "up" when it has taken its final form
  int processes;             // number of processes that stay
  bool countable = true;     // a storm has no fixed number
  bool leader_stays = true;  // else the run has ended when the tree is complete
  milliseconds more{0};      // that its end may take
};

inline Steps operator+(Steps steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}

inline const Steps kStay = {"print", "up", "pause"};

inline Steps block(const std::string& step, const Steps& inside) {
  return Steps{step, "{"} + inside + Steps{"}"};
}

// Where a run has a control group, nothing that a process may do to itself hides whose it is.
inline std::vector<Tree> all_trees() {
  std::vector<Tree> all = {
      {"a process", kStay, 1},
      {"a child in the same group", block("fork", kStay) + kStay, 2},
      {"a grandchild in a session of its own",
       block("fork", block("fork", Steps{"setsid"} + kStay) + kStay) + kStay, 3},
      {"a double-forked daemon", block("double-fork", Steps{"setsid"} + kStay) + kStay, 2},
      {"a leader that leaves its daemon behind",
       block("double-fork", Steps{"setsid"} + kStay) + Steps{"print", "up", "exit", "0"}, 1, true,
       false},
      {"nohup", block("fork", Steps{"ignore", "SIGHUP"} + kStay) + kStay, 2},
      {"a daemon with an empty environment",
       block("double-fork", {"setsid", "print", "up", "clear-env", "pause"}) + kStay, 2},
      {"a daemon without a descriptor",
       block("double-fork", {"setsid", "print", "up", "close-all", "pause"}) + kStay, 2},
      {"deaf to SIGTERM",
       block("double-fork", Steps{"setsid", "ignore", "SIGTERM"} + kStay) +
           Steps{"ignore", "SIGTERM"} + kStay,
       2},
      {"stopped",
       block("fork", {"print", "up", "stop", "pause"}) + Steps{"print", "up", "stop", "pause"}, 2},
      {"a grandchild that holds the pipe",
       block("double-fork", kStay) + Steps{"print", "up", "exit", "0"}, 1, true, false},
      {"another program since", block("fork", block("exec", kStay)) + kStay, 2},
      {"with many threads",
       block("thread-fork", Steps{"threads", "40"} + kStay) + Steps{"threads", "40"} + kStay, 2},
      {"a terminal with groups of its own",
       block("pty", block("fork", Steps{"own-group"} + kStay) + kStay), 3},
      {"a subreaper that keeps its orphans",
       Steps{"subreaper"} + block("double-fork", Steps{"setsid"} + kStay) + kStay, 2},
      {"forking faster than it dies",
       block("double-fork", {"setsid", "print", "up", "storm"}) + kStay, 2, false},
      {"a daemon with a limit on real-time CPU time",
       block("double-fork", {"setsid", "lower-limit", "print", "up", "clear-env", "pause"}) + kStay,
       2},
      {"a chain of sessions", block("double-fork", {"print", "up", "chain"}) + kStay, 2, false},
      {"a daemon that stops its keeper",
       block("double-fork", {"setsid", "print", "up", "stop-parent"}) + kStay, 2, true, true,
       milliseconds{10'000}},
  };
  if (find_cgroup_places().kill.ok()) {
    all.push_back(
        {"a daemon that hides from marks, session and environment",
         block("double-fork", {"setsid", "lower-limits", "print", "up", "clear-env", "pause"}) +
             kStay,
         2});
  }
  return all;
}

inline const std::vector<Tree>& trees() {
  static const std::vector<Tree> kTrees = all_trees();
  return kTrees;
}

inline std::string quoted(const Steps& words) {
  std::string line;
  for (const std::string& word : words) line += "'" + word + "' ";
  return line;
}

inline long lines_of(const std::string& text) {
  long count = 0;
  for (const char c : text) count += c == '\n' ? 1 : 0;
  return count;
}

inline pid_t keeper_of(pid_t leader) {
  pid_t at = leader;
  for (int level = 0; at > 1 && level < 64; ++level) {
    std::ifstream name("/proc/" + std::to_string(at) + "/comm");
    std::string text;
    std::getline(name, text);
    if (text == "gibbous-keeper") return at;
    const auto stat = read_stat(at);
    at = stat ? stat->parent : 0;
  }
  return 0;
}

// `gibbous session` as a process of its own, with one run that no test ends.
class AttackedHost {
 public:
  AttackedHost() {
    const std::string grace = std::to_string(kGrace.count());
    const std::string config =
        dir_.write("config.lua", "return { limits = { kill_grace_ms = " + grace +
                                     ", timeout_grace_ms = " + grace + " } }\n");
    const std::string scripts =
        std::string(std::getenv("GIBBOUS_SOURCE_DIR")) + "/tests/faults/scripts";
    session_.emplace(
        std::vector<std::string>{"--mode", "dangerous", "--config", config, "--scripts", scripts});
    // `sleep` adds its numbers up.
    const Json other = result("start", {{"command", "exec sleep 600 " + bystander_}});
    const auto stat = read_stat(other["pid"].get<pid_t>());
    REQUIRE(stat);
    process_ = {stat->pid, stat->start_time};
    keeper_ = keeper_of(stat->pid);
    REQUIRE(keeper_ > 0);
  }
  ~AttackedHost() {
    session_.reset();
    Loop loop;
    CHECK(loop.until([this] { return processes_with(bystander_).empty(); }, kGone));
  }

  Json result(const std::string& tool, const Json& args) {
    const Json answer = session_->call(tool, args);
    INFO(answer.dump());
    REQUIRE(answer.contains("result"));
    return answer["result"]["data"];
  }
  // Goes by the process itself: one that is about to become `sleep` has no words for a moment.
  bool others_untouched() const {
    const auto stat = read_stat(process_.pid);
    return stat && stat->alive() && stat->start_time == process_.start_time;
  }
  Program& program() { return session_->program(); }
  // Events that came meanwhile are not needed here.
  void forget_events() { session_->others().clear(); }
  pid_t keeper() const { return keeper_; }

 private:
  TempDir dir_;
  // A number of seconds that no other process sleeps.
  const std::string bystander_ = "6" + unique_word().substr(1, 6);
  ProcessIdentity process_;  // the bystander's
  std::optional<Conversation> session_;
  pid_t keeper_ = 0;
};

// A tree that was started there and is complete.
class PlantedTree {
 public:
  PlantedTree(AttackedHost& host, const Tree& tree, const Json& limits = Json::object())
      : tree_(tree) {
    const Json args = {
        {"command", "exec " + quoted(Steps{fixture("tree"), "tag", tag_} + tree.steps)},
        {"limits", limits}};
    const Json started = host.result("start", args);
    id_ = started["id"].get<std::string>();
    leader_ = started["pid"].get<pid_t>();
    std::string output;
    REQUIRE(loop_.until([&] {
      output += host.result("bg_output", {{"id", id_}}).value("stdout", "");
      return lines_of(output) >= ups();
    }));
    REQUIRE(loop_.until([&] { return !tree.countable || count() == tree.processes; }));
    // Make sure that the host knows of the leader's exit: the keeper may be gone in a moment.
    if (!tree.leader_stays) (void)host.result("ended", {{"id", id_}});
  }
  ~PlantedTree() { CHECK(gone()); }

  // One look may miss a process that forks and exits while it looks.
  bool gone() {
    const int looks = tree_.countable ? 1 : 30;
    return loop_.until(
        [this, looks] {
          for (int look = 0; look < looks; ++look) {
            if (count() > 0) return false;
          }
          return true;
        },
        kGone + tree_.more);
  }
  const std::string& id() const { return id_; }
  pid_t leader() const { return leader_; }
  const Tree& tree() const { return tree_; }

 private:
  int count() const { return static_cast<int>(processes_with(tag_).size()); }
  long ups() const {
    long count = 0;
    for (std::size_t at = 0; at + 1 < tree_.steps.size(); ++at) {
      if (tree_.steps[at] == "print" && tree_.steps[at + 1] == "up") ++count;
    }
    return count;
  }

  const Tree& tree_;
  Loop loop_;
  const std::string tag_ = unique_word();
  std::string id_;
  pid_t leader_ = 0;
};

// One way to end a run, its host or its keeper.
struct End {
  const char* name;
  std::function<void(AttackedHost&, PlantedTree&)> act;
  bool keeper_survives;
  Json limits = Json::object();  // of the run
};

inline void check_report(const PlantedTree& planted, const Json& report) {
  INFO(report.dump());
  CHECK(report["survivors"].empty());
  if (planted.tree().countable) CHECK(report["dead"].get<int>() >= planted.tree().processes);
}

inline const std::vector<End>& ends() {
  static const std::vector<End> kEnds = {
      {"kill",
       [](AttackedHost& host, PlantedTree& planted) {
         check_report(planted, host.result("bg_kill", {{"id", planted.id()}}));
       },
       true},
      {"time limit",
       [](AttackedHost& host, PlantedTree& planted) {
         CHECK(host.result("ended", {{"id", planted.id()}})["state"] == "timeout");
       },
       true,
       {{"wall_time_ms", kTimeLimit.count()}}},
      {"memory limit",
       [](AttackedHost& host, PlantedTree& planted) {
         ::kill(planted.leader(), SIGUSR2);
         ::kill(planted.leader(), SIGCONT);
         const Json ended = host.result("ended", {{"id", planted.id()}});
         INFO(ended.dump());
         CHECK(ended["state"] == "killed");
         CHECK(ended["limit"] == "memory");
       },
       true,
       {{"memory_bytes", kMemoryLimit}}},
      {"idle limit",
       [](AttackedHost& host, PlantedTree& planted) {
         const Json ended = host.result("ended", {{"id", planted.id()}});
         CHECK(ended["state"] == "killed");
         CHECK(ended["limit"] == "idle");
       },
       true,
       {{"idle_time_ms", kTimeLimit.count()}}},
      {"the keeper is stopped, then the run is killed",
       [](AttackedHost& host, PlantedTree& planted) {
         ::kill(host.keeper(), SIGSTOP);
         check_report(planted, host.result("bg_kill", {{"id", planted.id()}}));
       },
       true},
      {"the keeper is sent SIGKILL",
       [](AttackedHost& host, PlantedTree& planted) {
         ::kill(host.keeper(), SIGKILL);
         const std::string state = host.result("ended", {{"id", planted.id()}})["state"];
         CHECK(state == (planted.tree().leader_stays ? "lost" : "completed"));
       },
       false},
      {"the session's input ends",
       [](AttackedHost& host, PlantedTree&) {
         host.program().close_stdin();
         CHECK(host.program().wait()->code == 0);
       },
       false},
      {"the host is sent SIGTERM",
       [](AttackedHost& host, PlantedTree&) { host.program().send_signal(SIGTERM); }, false},
      {"the host is sent SIGKILL",
       [](AttackedHost& host, PlantedTree&) { host.program().send_signal(SIGKILL); }, false},
      {"the host crashes",
       [](AttackedHost& host, PlantedTree&) { host.program().send_signal(SIGABRT); }, false},
      {"the keeper is stopped, then the host is killed",
       [](AttackedHost& host, PlantedTree&) {
         host.program().send_signal(SIGSTOP);  // otherwise the host would continue the keeper
         ::kill(host.keeper(), SIGSTOP);
         host.program().send_signal(SIGKILL);
       },
       false},
      {"the host and its keeper are sent SIGKILL",
       [](AttackedHost& host, PlantedTree&) {
         host.program().send_signal(SIGSTOP);  // otherwise the host would notice
         ::kill(host.keeper(), SIGKILL);
         host.program().send_signal(SIGKILL);
       },
       false},
  };
  return kEnds;
}

// A run that has ended has no time limits any more; what it left is a daemon.
inline bool makes_sense(const Tree& tree, const End& end) {
  return end.limits.empty() || tree.leader_stays;
}

}  // namespace gibbous::testing
