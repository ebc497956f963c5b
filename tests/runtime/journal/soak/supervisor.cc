#include "tests/runtime/journal/soak/supervisor.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "tests/runtime/journal/soak/ledger.h"
#include "tests/runtime/journal/soak/worker.h"
#include "tests/support/patient_fork.h"

namespace gibbous::soak {
namespace {

using Steady = std::chrono::steady_clock;
using Micros = std::chrono::microseconds;

constexpr Micros kShortLife{8'000};  // opening, joining, recovering
constexpr Micros kLongLife{90'000};
constexpr Micros kLongStop{200'000};
constexpr std::chrono::seconds kProgress{10};

class Supervisor {
 public:
  explicit Supervisor(const SoakPlan& plan)
      : plan_(plan), ledger_(plan.directory + kLedgerName), random_(plan.seed) {}
  SoakTally run();

 private:
  struct Child {
    pid_t pid = -1;
    std::string name;
    Steady::time_point next;
    bool stopped = false;
  };

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  Micros up_to(Micros most) { return Micros{below(static_cast<std::uint32_t>(most.count()))}; }
  void start(Child& child, Life life);
  // False when it had ended by itself.
  bool bury(Child& child);
  bool kill_one(Child& child);
  bool act(std::vector<Child>& children);
  bool drain();

  const SoakPlan& plan_;
  const Ledger ledger_;
  std::mt19937 random_;
  SoakTally tally_;
  std::uint64_t born_ = 0;
};

void Supervisor::start(Child& child, Life life) {
  child.name = "w" + std::to_string(++born_);
  child.stopped = false;
  const WorkerPlan plan{plan_.directory, child.name, static_cast<std::uint32_t>(random_()), life,
                        plan_.by_lease};
  const pid_t parent = ::getpid();
  child.pid = gibbous::testing::patient_fork();
  if (child.pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::_Exit(::getppid() == parent ? work(plan) : 2);
  }
  child.next = Steady::now() + up_to(below(3) == 0 ? kShortLife : kLongLife);
}

bool Supervisor::bury(Child& child) {
  siginfo_t how{};
  ::waitid(P_PID, static_cast<id_t>(child.pid), &how, WEXITED | WNOWAIT);
  ledger_.write("dead " + child.name);
  ::waitpid(child.pid, nullptr, 0);
  return how.si_code == CLD_KILLED && how.si_status == SIGKILL;
}

bool Supervisor::kill_one(Child& child) {
  ::kill(child.pid, SIGKILL);
  ++tally_.kills;
  return bury(child);
}

// What is due for the child whose time has come.
bool Supervisor::act(std::vector<Child>& children) {
  constexpr std::uint32_t kRarely = 40;
  Child& child = *std::min_element(children.begin(), children.end(),
                                   [](const auto& a, const auto& b) { return a.next < b.next; });
  std::this_thread::sleep_until(child.next);
  if (plan_.by_lease && !child.stopped && below(2) == 0) {
    ::kill(child.pid, SIGSTOP);
    ++tally_.stops;
    child.stopped = true;
    child.next = Steady::now() + up_to(kLongStop);
    return true;
  }
  if (child.stopped && below(3) != 0) {
    ::kill(child.pid, SIGCONT);
    child.stopped = false;
    child.next = Steady::now() + up_to(kLongLife);
    return true;
  }
  if (below(kRarely) != 0) {
    const bool was_alive = kill_one(child);
    start(child, Life::kWork);
    return was_alive;
  }
  ++tally_.at_once;
  for (const Child& each : children) ::kill(each.pid, SIGKILL);
  bool were_alive = true;
  for (Child& each : children) were_alive = kill_one(each) && were_alive;
  for (Child& each : children) start(each, Life::kWork);
  return were_alive;
}

bool Supervisor::drain() {
  Child last;
  start(last, Life::kDrain);
  int status = 0;
  ::waitpid(last.pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

SoakTally Supervisor::run() {
  const auto begin = Steady::now();
  auto next_word = begin + kProgress;
  std::vector<Child> children(plan_.workers);
  for (Child& child : children) start(child, Life::kWork);
  bool well = true;
  while (well && tally_.kills < plan_.kills) {
    well = act(children);
    if (Steady::now() < next_word) continue;
    next_word += kProgress;
    std::printf("  %llu of %llu kills\n", static_cast<unsigned long long>(tally_.kills),
                static_cast<unsigned long long>(plan_.kills));
    std::fflush(stdout);
  }
  tally_.seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  for (Child& child : children) ::kill(child.pid, SIGKILL);
  for (Child& child : children) bury(child);
  tally_.finished = drain() && well;
  return tally_;
}

}  // namespace

SoakTally run_soak(const SoakPlan& plan) {
  return Supervisor(plan).run();
}

}  // namespace gibbous::soak
