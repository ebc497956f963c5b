// No orphan, ever: trees of processes that are hard to end, and every way in which a run, its host
// or its keeper can end. After the grace and a second nothing of the tree is there, in any of them.
// Every case is a `gibbous session` of its own; who is left is read from /proc, not asked.
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/process/proc.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGrace{300};  // of every kind, in the configuration below
constexpr milliseconds kGone = kGrace + milliseconds{1'000};
constexpr milliseconds kTimeLimit{700};

using Steps = std::vector<std::string>;

struct Tree {
  const char* name;
  Steps steps;               // each process prints "up" when it has become what it is to be
  int processes;             // that stay
  bool countable = true;     // a storm has as many as it happens to have
  bool leader_stays = true;  // else the run has ended when the tree is there
};

Steps operator+(Steps steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}

const Steps kStay = {"print", "up", "pause"};

Steps block(const std::string& step, const Steps& inside) {
  return Steps{step, "{"} + inside + Steps{"}"};
}

const std::vector<Tree>& trees() {
  static const std::vector<Tree> kTrees = {
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
      {"stopped", block("fork", {"print", "up", "stop", "pause"}) + Steps{"print", "up", "stop"},
       2},
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
  };
  return kTrees;
}

std::string quoted(const Steps& words) {
  std::string line;
  for (const std::string& word : words) line += "'" + word + "' ";
  return line;
}

long lines_of(const std::string& text) {
  long count = 0;
  for (const char c : text) count += c == '\n' ? 1 : 0;
  return count;
}

pid_t keeper_of(pid_t leader) {
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

class Case {
 public:
  explicit Case(const Tree& tree) : tree_(tree) {
    const std::string config = dir_.write(
        "config.lua", "return { limits = { kill_grace_ms = " + std::to_string(kGrace.count()) +
                          ", timeout_grace_ms = " + std::to_string(kGrace.count()) + " } }\n");
    session_.emplace(
        std::vector<std::string>{"--mode", "auto", "--config", config, "--scripts", scripts()});
    // `sleep` adds its numbers up.
    const Json other = result("start", {{"command", "exec sleep 600 " + bystander_}});
    keeper_ = keeper_of(other["pid"].get<pid_t>());
    REQUIRE(keeper_ > 0);
  }
  ~Case() {
    session_.reset();
    CHECK(gone(bystander_));
    CHECK(gone(tag_));
  }

  void start(milliseconds limit = milliseconds{0}) {
    Json args = {{"command", "exec " + quoted(Steps{fixture("tree"), "tag", tag_} + tree_.steps)}};
    if (limit.count() > 0) args["timeout_ms"] = limit.count();
    id = result("start", args)["id"].get<std::string>();
    std::string output;
    const long expected = ups();
    REQUIRE(loop_.until([&] {
      output += result("bg_output", {{"id", id}}).value("stdout", "");
      return lines_of(output) >= expected;
    }));
    if (tree_.countable) {
      REQUIRE(loop_.until([&] {
        return processes_with(tag_).size() == static_cast<std::size_t>(tree_.processes);
      }));
    }
  }

  Json result(const std::string& tool, const Json& args) {
    const Json answer = session_->call(tool, args);
    INFO(answer.dump());
    REQUIRE(answer.contains("result"));
    return answer["result"]["data"];
  }
  bool gone(const std::string& tag) {
    return loop_.until([&] { return processes_with(tag).empty(); }, kGone);
  }
  bool tree_gone() { return gone(tag_); }
  bool others_untouched() { return processes_with(bystander_).size() == 1; }

  Conversation& session() { return *session_; }
  pid_t keeper() const { return keeper_; }
  const Tree& tree() const { return tree_; }
  std::string id;

 private:
  static std::string scripts() {
    return std::string(std::getenv("GIBBOUS_SOURCE_DIR")) + "/tests/faults/scripts";
  }
  long ups() const {
    long count = 0;
    for (std::size_t at = 0; at + 1 < tree_.steps.size(); ++at) {
      if (tree_.steps[at] == "print" && tree_.steps[at + 1] == "up") ++count;
    }
    return count;
  }

  const Tree& tree_;
  TempDir dir_;
  Loop loop_;
  const std::string tag_ = unique_word();
  // A number of seconds that nobody else sleeps.
  const std::string bystander_ = "6" + unique_word().substr(1, 6);
  std::optional<Conversation> session_;
  pid_t keeper_ = 0;
};

// Runs `end` for every tree. The tree must be gone then; the rest is for `end` to check.
void for_every_tree(const std::function<void(Case&)>& end, milliseconds limit = milliseconds{0}) {
  for (const Tree& tree : trees()) {
    DYNAMIC_SECTION(tree.name) {
      // A run that has ended has no time limit any more; what it left is somebody's daemon.
      if (limit.count() > 0 && !tree.leader_stays) continue;
      Case one(tree);
      one.start(limit);
      end(one);
      CHECK(one.tree_gone());
    }
  }
}

void check_report(const Case& one, const Json& report) {
  INFO(report.dump());
  CHECK(report["survivors"].empty());
  if (one.tree().countable) CHECK(report["dead"].get<int>() >= one.tree().processes);
}

TEST_CASE("containment: kill") {
  for_every_tree([](Case& one) {
    check_report(one, one.result("bg_kill", {{"id", one.id}}));
    CHECK(one.tree_gone());
    CHECK(one.others_untouched());
  });
}

TEST_CASE("containment: time limit") {
  for_every_tree(
      [](Case& one) {
        const Json end = one.result("ended", {{"id", one.id}});
        CHECK(end["state"] == "timeout");
        CHECK(one.tree_gone());
        CHECK(one.others_untouched());
      },
      kTimeLimit);
}

TEST_CASE("containment: the session's input ends") {
  for_every_tree([](Case& one) {
    one.session().program().close_stdin();
    CHECK(one.session().program().wait()->code == 0);
  });
}

TEST_CASE("containment: the host is sent SIGTERM") {
  for_every_tree([](Case& one) {
    one.session().program().send_signal(SIGTERM);
    CHECK(one.session().program().wait());
  });
}

TEST_CASE("containment: the host is sent SIGKILL") {
  for_every_tree([](Case& one) { one.session().program().send_signal(SIGKILL); });
}

TEST_CASE("containment: the host crashes") {
  for_every_tree([](Case& one) { one.session().program().send_signal(SIGABRT); });
}

TEST_CASE("containment: the keeper is sent SIGKILL") {
  for_every_tree([](Case& one) {
    ::kill(one.keeper(), SIGKILL);
    CHECK(one.tree_gone());
    const std::string state = one.result("ended", {{"id", one.id}})["state"];
    CHECK(state == (one.tree().leader_stays ? "lost" : "completed"));
  });
}

TEST_CASE("containment: the keeper is stopped, then the run is killed") {
  for_every_tree([](Case& one) {
    ::kill(one.keeper(), SIGSTOP);
    check_report(one, one.result("bg_kill", {{"id", one.id}}));
    CHECK(one.tree_gone());
    CHECK(one.others_untouched());
  });
}

TEST_CASE("containment: the keeper is stopped, then the host is killed") {
  for_every_tree([](Case& one) {
    // Else the host would continue it.
    one.session().program().send_signal(SIGSTOP);
    ::kill(one.keeper(), SIGSTOP);
    one.session().program().send_signal(SIGKILL);
  });
}

}  // namespace
}  // namespace gibbous::testing
