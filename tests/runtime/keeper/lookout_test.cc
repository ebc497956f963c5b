// The lookout, which stands beside the keeper and its wardens: that no run comes to it by its
// parents, that it sleeps, and that it ends what no warden is left to end.
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>

#include "tests/runtime/keeper/harness.h"
#include "tests/support/lookout_of.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

std::string first_line(pid_t pid, const std::string& file) {
  std::string line;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/" + file), line);
  return line;
}

pid_t parent_of(pid_t pid) {
  const auto stat = read_stat(pid);
  return stat ? stat->parent : 0;
}

// A host in a process of its own, which has one run of two processes:
// one that is deaf to SIGTERM, and one that is in no session of its leader's.
class OwnHost {
 public:
  OwnHost() {
    std::array<int, 2> ends{-1, -1};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const UniqueFd ready(ends[0]);
    pid_ = patient_fork();
    if (pid_ == 0) be_host(ends[1]);
    ::close(ends[1]);
    REQUIRE(::read(ready.get(), &keeper_, sizeof keeper_) == sizeof keeper_);
    warden_ = parent_of(keeper_);
    second_ = parent_of(warden_);
    REQUIRE(loop_.until([this] { return (lookout_ = lookout_of(second_, warden_)) != 0; }));
  }
  ~OwnHost() {
    kill();
    CHECK(loop_.until([this] { return alive_with(tag_).empty() && !is_alive(lookout_); }));
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  bool until(const std::function<bool()>& condition) { return loop_.until(condition); }
  std::size_t left() const { return alive_with(tag_).size(); }
  pid_t pid() const { return pid_; }
  pid_t keeper() const { return keeper_; }
  pid_t warden() const { return warden_; }
  pid_t second() const { return second_; }
  pid_t lookout() const { return lookout_; }

 private:
  [[noreturn]] void be_host(int ready) {
    Harness harness;
    const RunKey run = harness.start_running(
        Harness::tree({"tag", tag_, "double-fork", "{", "setsid", "ignore", "SIGTERM", "print",
                       "up", "clear-env", "pause", "}", "print", "up", "pause"}));
    harness.read_lines(run, 2);
    const pid_t keeper = harness.client().keeper_pid();
    if (::write(ready, &keeper, sizeof keeper) != sizeof keeper) std::_Exit(1);
    harness.wait_for([] { return false; });
    std::_Exit(0);
  }
  Loop loop_;
  const std::string tag_ = unique_tag();
  pid_t pid_ = 0;
  pid_t keeper_ = 0;
  pid_t warden_ = 0;
  pid_t second_ = 0;
  pid_t lookout_ = 0;
};

TEST_CASE("the lookout is no ancestor of a run, and shows nobody its files") {
  OwnHost host;
  const auto stat = read_stat(host.lookout());
  REQUIRE(stat);
  for (const pid_t guard : {host.keeper(), host.warden(), host.second()}) {
    CHECK(stat->parent != guard);
    const auto other = read_stat(guard);
    REQUIRE(other);
    CHECK(other->session != stat->session);
    CHECK(other->group != stat->group);
    CHECK(other->parent != host.lookout());
  }
  CHECK(first_line(host.lookout(), "cmdline").find("gibbous") == std::string::npos);
  // What cannot be dumped shows its open files to nobody else of its user.
  struct stat files {};
  REQUIRE(::stat(("/proc/" + std::to_string(host.lookout()) + "/fd").c_str(), &files) == 0);
  CHECK(files.st_uid == 0);
}

TEST_CASE("the lookout sleeps while host and keeper live, and ends with them") {
  OwnHost host;
  const auto switches = [&host] {
    std::ifstream status("/proc/" + std::to_string(host.lookout()) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("voluntary_ctxt_switches", 0) == 0) return line;
    }
    return std::string();
  };
  REQUIRE(host.until([&] { return read_stat(host.lookout())->state == 'S'; }));
  const std::string before = switches();
  REQUIRE_FALSE(before.empty());
  // A warden that is stopped, and a run's work, are not its business.
  ::kill(host.warden(), SIGSTOP);
  ::kill(host.warden(), SIGCONT);
  REQUIRE(host.until([&] { return read_stat(host.warden())->state == 'S'; }));
  CHECK(switches() == before);
  host.kill();
  CHECK(host.until([&] { return !is_alive(host.lookout()); }));
}

// From above: who guards another continues it.
void kill_at_once(std::initializer_list<pid_t> pids) {
  for (const pid_t pid : pids) ::kill(pid, SIGSTOP);
  for (const pid_t pid : pids) ::kill(pid, SIGKILL);
}

TEST_CASE("the lookout ends what host, keeper and both wardens leave that are killed at once") {
  OwnHost host;
  REQUIRE(host.until([&] { return host.left() == 2; }));
  kill_at_once({host.pid(), host.second(), host.warden(), host.keeper()});
  host.kill();
  CHECK(host.until([&] { return host.left() == 0; }));
}

TEST_CASE("without its lookout, a keeper ends its runs as before") {
  OwnHost host;
  ::kill(host.lookout(), SIGKILL);
  REQUIRE(host.until([&] { return !is_alive(host.lookout()); }));
  CHECK(host.until([&] { return host.left() == 2; }));
  host.kill();
  CHECK(host.until([&] { return host.left() == 0 && !is_alive(host.keeper()); }));
}

TEST_CASE("a lookout that is stopped keeps nobody from the end, and ends when it is continued") {
  OwnHost host;
  ::kill(host.lookout(), SIGSTOP);
  host.kill();
  CHECK(host.until([&] { return host.left() == 0 && !is_alive(host.second()); }));
  ::kill(host.lookout(), SIGCONT);
  CHECK(host.until([&] { return !is_alive(host.lookout()); }));
}

}  // namespace
}  // namespace gibbous::testing
