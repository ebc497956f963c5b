#include "runtime/keeper/warden.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <new>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/process/mark.h"
#include "runtime/process/proc.h"
#include "runtime/process/run_group.h"
#include "runtime/process/signals.h"
#include "runtime/process/tree.h"

namespace gibbous::keeper {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How long a keeper whose host is gone may do nothing visible.
constexpr milliseconds kLeastPatience{3'000};
constexpr milliseconds kLook{20};      // between two looks at a keeper that may be stopped
constexpr milliseconds kSweep{5'000};  // then what still lives cannot be ended
constexpr milliseconds kFirstSweepPause{1};
constexpr milliseconds kLongestSweepPause{20};
constexpr int kSecondEnded = SIGUSR1;  // what the warden gets then
constexpr int kQuickRounds =
    200;  // processes that fork and exit for ever are outrun, not waited for

// While it lives, the kernel continues this process in that interval, whoever stops it: what it
// ends becomes its child first, and may be a daemon that stops its parent. A stop that comes while
// a timer's signal is pending takes the signal away, and the timer does not go on: hence several,
// each of which sets all going again. A timer goes on only when its signal is taken, so there is a
// handler for it.
class Restless {
 public:
  explicit Restless(milliseconds interval) : interval_(interval) {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGCONT;
    while (made_ < kTimers && ::timer_create(CLOCK_MONOTONIC, &event, &timers_[made_]) == 0) {
      ++made_;
    }
    go_on();
  }
  void go_on() const {
    const auto whole = interval_ * kTimers;
    for (std::size_t i = 0; i < made_; ++i) {
      const itimerspec each{time(whole), time(interval_ * (i + 1))};
      ::timer_settime(timers_[i], 0, &each, nullptr);
    }
  }
  ~Restless() {
    for (std::size_t i = 0; i < made_; ++i) ::timer_delete(timers_[i]);
  }
  Restless(const Restless&) = delete;
  Restless& operator=(const Restless&) = delete;

 private:
  static constexpr std::size_t kTimers = 16;
  static timespec time(milliseconds of) {
    return {of.count() / 1000, (of.count() % 1000) * 1'000'000};
  }

  milliseconds interval_;
  std::array<timer_t, kTimers> timers_{};
  std::size_t made_ = 0;
};

constexpr milliseconds kFast{1};
// After it has seen somebody stopped, a warden expects to be stopped itself.
constexpr milliseconds kAlarmed{10'000};

// Restless for a while after each sign of a process that stops others.
class Alertness {
 public:
  void sign(Time now) {
    until_ = now + kAlarmed;
    if (fast_) {
      fast_->go_on();
    } else {
      fast_.emplace(kFast);
    }
  }
  // Returns the milliseconds to wait for, or -1.
  int rest(Time now) {
    if (now >= until_) fast_.reset();
    return fast_ ? static_cast<int>(kLook.count()) : -1;
  }

 private:
  std::optional<Restless> fast_;
  Time until_{};
};

class Guard {
 public:
  // `keeper`: or the warden, for the second one.
  Guard(pid_t keeper, const WardenPage& page) : keeper_(keeper), page_(page) {}

  // Returns false once the keeper has ended by itself. Continues it when it was stopped, unless it
  // is to be left so.
  bool reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
      if (pid != keeper_) continue;
      if (WIFSTOPPED(status)) {
        if (continues_) ::kill(keeper_, SIGCONT);
        was_stopped_ = true;
        continue;
      }
      has_keeper_ = false;
      ended_ = WIFEXITED(status);
    }
    return has_keeper_ || !ended_;
  }
  bool has_keeper() const { return has_keeper_; }
  void continue_stopped(bool continues) { continues_ = continues; }
  bool take_stopped() { return std::exchange(was_stopped_, false); }

  void wake_keeper() const { wake(keeper_); }
  // The two wardens continue each other.
  void wake_second() const {
    const pid_t second = page_.second();
    if (second > 0 && second == ::getppid()) wake(second);
  }
  // Once reaped, its pid may be anybody's.
  void kill_keeper() const {
    if (has_keeper_) ::kill(keeper_, SIGKILL);
  }

  // Ends everything below, without the runs that are kept.
  void sweep() {
    const Restless restless(kFast);
    const CgroupPlaces places = find_cgroup_places();
    kill_run_groups(places, page_.keeper(), [this](pid_t pid) { return page_.spares(pid); });
    const auto until = steady_clock::now() + kSweep;
    milliseconds pause = kFirstSweepPause;
    int empty = 0;
    for (int round = 0; empty < 2 && steady_clock::now() < until; ++round) {
      restless.go_on();
      wake_second();
      const bool found = end_round();
      (void)reap();
      // A list is no snapshot: twice nothing is nothing.
      empty = found ? 0 : empty + 1;
      if (found && round < kQuickRounds) continue;
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongestSweepPause);
    }
    (void)remove_keeper_groups(places, page_.keeper());
  }

 private:
  static void wake(pid_t pid) {
    const auto stat = read_stat(pid);
    if (stat && stat->state == 'T') ::kill(pid, SIGCONT);
  }

  bool end_round() {
    std::vector<pid_t> roots = tree_.own_children();
    std::erase_if(roots, [this](pid_t pid) { return pid != keeper_ && page_.spares(pid); });
    const std::vector<pid_t> all = tree_.with_descendants(roots);
    const std::unordered_set<pid_t> members(all.begin(), all.end());
    bool found = false;
    for (const pid_t pid : all) {
      if (pid == keeper_ || page_.spares(pid)) continue;
      const auto still_ours = [&](pid_t held) {
        const auto stat = read_stat(held);
        return stat && (stat->parent == ::getpid() || members.contains(stat->parent));
      };
      kill_group_if(pid, still_ours);
      (void)send_signal_if(pid, SIGKILL, still_ours);
      const auto stat = read_stat(pid);
      found = found || (stat && stat->alive());
    }
    return found;
  }

  pid_t keeper_;
  const WardenPage& page_;
  ProcessTree tree_;
  bool has_keeper_ = true;
  bool ended_ = false;  // by itself
  bool continues_ = true;
  bool was_stopped_ = false;
};

constexpr const char* kName = "run-warden";

// Takes its name and its signals; returns a descriptor that tells of its children.
UniqueFd prepare(std::span<char> name) {
  ::prctl(PR_SET_NAME, kName, 0, 0, 0);
  const std::string_view other(kName);
  std::fill(name.begin(), name.end(), '\0');
  std::copy_n(other.begin(), std::min(other.size(), name.size()), name.begin());
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  nothing.sa_flags = SA_RESTART;
  ::sigaction(SIGCONT, &nothing, nullptr);
  sigset_t all;
  ::sigfillset(&all);
  ::sigdelset(&all, SIGCONT);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t told;
  ::sigemptyset(&told);
  ::sigaddset(&told, SIGCHLD);
  ::sigaddset(&told, kSecondEnded);
  return UniqueFd(::signalfd(-1, &told, SFD_NONBLOCK | SFD_CLOEXEC));
}

// Returns true when the second warden has ended.
bool take_signals(const UniqueFd& signals) {
  bool ended = false;
  signalfd_siginfo info{};
  while (::read(signals.get(), &info, sizeof info) > 0) {
    ended = ended || info.ssi_signo == static_cast<std::uint32_t>(kSecondEnded);
  }
  return ended;
}

void guard_keeper(pid_t keeper, const UniqueFd& host, const WardenPage& page,
                  const UniqueFd& signals) {
  Guard guard(keeper, page);
  guard.wake_keeper();              // whoever guarded it before may have been killed instead
  std::optional<Time> alone_since;  // without the host
  Alertness alertness;
  while (guard.reap() && guard.has_keeper()) {
    guard.wake_second();
    const Time now = steady_clock::now();
    if (guard.take_stopped()) alertness.sign(now);
    const Time until = alone_since ? page.patience(*alone_since + kLeastPatience) : Time::max();
    if (now >= until) {
      guard.sweep();  // first: one of them may be what stops the keeper, and would stop the warden
      guard.kill_keeper();
      guard.sweep();  // also of a keeper that hangs in the kernel
      if (!guard.reap() || guard.has_keeper()) return;
      break;
    }
    int wait = alertness.rest(now);
    if (until != Time::max()) {
      guard.wake_keeper();
      wait = static_cast<int>(kLook.count());
    }
    std::array<pollfd, 2> events{pollfd{signals.get(), POLLIN, 0},
                                 pollfd{alone_since ? -1 : host.get(), POLLIN, 0}};
    if (::poll(events.data(), events.size(), wait) < 0 && errno != EINTR) return;
    if (take_signals(signals) && !page.greeted()) {
      guard.kill_keeper();
      return;
    }
    if (events[1].revents != 0) alone_since = steady_clock::now();
  }
  if (!guard.has_keeper() && guard.reap()) guard.sweep();
}

}  // namespace

bool WardenPage::has_keeper_below(pid_t parent) const {
  const pid_t pid = process_;
  const auto stat = pid > 0 ? read_stat(pid) : std::nullopt;
  return stat && stat->alive() && stat->parent == parent;
}

void WardenPage::set_greeted() {
  greeted_ = true;
  wake_lookout();
}

void WardenPage::set_host(pid_t pid) {
  host_ = pid;
  wake_lookout();
}

void WardenPage::wake_lookout() const {
  if (voice_ >= 0) (void)::send(voice_, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

WardenPage* WardenPage::map() {
  void* memory = ::mmap(nullptr, sizeof(WardenPage), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) WardenPage;
}

Time WardenPage::patience(Time least) const {
  return std::max(least, Time(Time::duration(patience_.load())));
}

void WardenPage::set_kept(const std::vector<KeptRun>& runs) {
  const std::size_t other = 1 - current_;
  Kept& list = kept_[other];
  for (std::size_t i = 0; i < std::min(runs.size(), kMostKept); ++i) list.runs[i] = runs[i];
  list.count = runs.size();
  current_ = other;
}

void WardenPage::add_kept(KeptRun run) {
  Kept& list = kept_[current_];
  const std::size_t count = list.count;
  if (count < kMostKept) list.runs[count] = run;
  list.count = count + 1;
}

template <typename Is>
bool WardenPage::any_kept(Is is) const {
  const Kept& list = kept_[current_];
  const std::size_t count = list.count;
  if (count > kMostKept) return true;
  return std::any_of(list.runs.begin(), list.runs.begin() + static_cast<std::ptrdiff_t>(count),
                     [&is](const auto& each) { return is(each.load()); });
}

bool WardenPage::is_kept(std::uint32_t run) const {
  return any_kept([run](const KeptRun& each) { return each.run == run; });
}

bool WardenPage::spares(pid_t pid) const {
  if (const auto group = read_run_group(pid, keeper_group_name(keeper_))) {
    return any_kept([&group](const KeptRun& each) { return each.group == *group; });
  }
  const auto marks = read_marks(pid);
  const auto run = marks ? marks->sure_run_of(keeper_) : std::nullopt;
  return run && is_kept(*run);
}

void guard(pid_t keeper, const UniqueFd& host, const WardenPage& page, std::span<char> name) {
  const UniqueFd signals = prepare(name);
  // Its end may have come before this was asked for.
  ::prctl(PR_SET_PDEATHSIG, kSecondEnded, 0, 0, 0);
  if (page.second() > 0 && ::getppid() != page.second()) ::raise(kSecondEnded);
  guard_keeper(keeper, host, page, signals);
}

void guard_warden(pid_t warden, const UniqueFd& host, const WardenPage& page,
                  std::span<char> name) {
  const UniqueFd signals = prepare(name);
  Guard guard(warden, page);
  Alertness alertness;
  while (true) {
    // At first it is about to be made.
    const bool has_keeper = page.process() == 0 || page.has_keeper_below(warden);
    // While the keeper is gone, a stopped warden is bait: what stops it is ended from here.
    guard.continue_stopped(has_keeper);
    if (!guard.reap()) return;
    if (!guard.has_keeper()) break;
    const bool was_stopped = guard.take_stopped();
    const Time now = steady_clock::now();
    if (was_stopped || !has_keeper) alertness.sign(now);
    if (was_stopped && !has_keeper) {
      guard.sweep();
      guard.wake_keeper();
    }
    pollfd told{signals.get(), POLLIN, 0};
    if (::poll(&told, 1, alertness.rest(now)) < 0 && errno != EINTR) return;
    (void)take_signals(signals);
  }
  if (page.has_keeper_below(::getpid())) {
    guard_keeper(page.process(), host, page, signals);
  } else {
    guard.sweep();
  }
}

}  // namespace gibbous::keeper
