#include "runtime/keeper/warden.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_set>

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
constexpr int kQuickRounds =
    200;  // processes that fork and exit for ever are outrun, not waited for

class Guard {
 public:
  Guard(pid_t keeper, const WardenPage& page) : keeper_(keeper), page_(page) {}

  // Returns false once the keeper has ended by itself. Continues it when it was stopped.
  bool reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
      if (pid != keeper_) continue;
      if (WIFSTOPPED(status)) {
        ::kill(keeper_, SIGCONT);
        continue;
      }
      has_keeper_ = false;
      ended_ = WIFEXITED(status);
    }
    return has_keeper_ || !ended_;
  }
  bool has_keeper() const { return has_keeper_; }

  void wake_keeper() const {
    if (is_stopped(keeper_)) ::kill(keeper_, SIGCONT);
  }
  // Once the keeper is reaped, another process may have its pid.
  void kill_keeper() const {
    if (has_keeper_) ::kill(keeper_, SIGKILL);
  }

  // Ends everything below, without the runs that are detached.
  void sweep() {
    const CgroupPlaces places = find_cgroup_places();
    kill_run_groups(places, page_.keeper(), [this](pid_t pid) { return page_.spares(pid); });
    const auto until = steady_clock::now() + kSweep;
    milliseconds pause = kFirstSweepPause;
    int empty = 0;
    for (int round = 0; empty < 2 && steady_clock::now() < until; ++round) {
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
};

// Takes its name and its signals; returns a descriptor that is readable when a child ends or is
// stopped.
UniqueFd prepare(std::span<char> name) {
  constexpr std::string_view kName = "run-warden";
  ::prctl(PR_SET_NAME, kName.data(), 0, 0, 0);
  std::fill(name.begin(), name.end(), '\0');
  std::copy_n(kName.begin(), std::min(kName.size(), name.size()), name.begin());
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  return UniqueFd(::signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC));
}

}  // namespace

WardenPage* WardenPage::map() {
  void* memory = ::mmap(nullptr, sizeof(WardenPage), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) WardenPage;
}

Time WardenPage::patience(Time least) const {
  return std::max(least, Time(Time::duration(patience_.load())));
}

void WardenPage::set_detached(const std::vector<DetachedRun>& runs) {
  const std::size_t other = 1 - current_;
  Detached& list = detached_[other];
  for (std::size_t i = 0; i < std::min(runs.size(), kMostDetached); ++i) list.runs[i] = runs[i];
  list.count = runs.size();
  current_ = other;
}

void WardenPage::add_detached(DetachedRun run) {
  Detached& list = detached_[current_];
  const std::size_t count = list.count;
  if (count < kMostDetached) list.runs[count] = run;
  list.count = count + 1;
}

template <typename Is>
bool WardenPage::any_detached(Is is) const {
  const Detached& list = detached_[current_];
  const std::size_t count = list.count;
  if (count > kMostDetached) return true;
  return std::any_of(list.runs.begin(), list.runs.begin() + static_cast<std::ptrdiff_t>(count),
                     [&is](const auto& each) { return is(each.load()); });
}

bool WardenPage::spares(pid_t pid) const {
  if (const auto group = read_run_group(pid, keeper_group_name(keeper_))) {
    return any_detached([&group](const DetachedRun& each) { return each.group == *group; });
  }
  const auto marks = read_marks(pid);
  const auto run = marks ? marks->sure_run_of(keeper_) : std::nullopt;
  return run && any_detached([&run](const DetachedRun& each) { return each.run == *run; });
}

void guard(pid_t keeper, const UniqueFd& host, const WardenPage& page, std::span<char> name) {
  const UniqueFd signals = prepare(name);
  Guard guard(keeper, page);
  std::optional<Time> alone_since;  // without the host
  while (guard.reap() && guard.has_keeper()) {
    const Time now = steady_clock::now();
    const Time until = alone_since ? page.patience(*alone_since + kLeastPatience) : Time::max();
    if (now >= until) {
      guard.sweep();  // first: one of them may be what stops the keeper
      guard.kill_keeper();
      guard.sweep();  // also of a keeper that hangs in the kernel
      if (!guard.reap() || guard.has_keeper()) return;
      break;
    }
    int wait = -1;
    if (until != Time::max()) {
      guard.wake_keeper();
      wait = static_cast<int>(kLook.count());
    }
    std::array<pollfd, 2> events{pollfd{signals.get(), POLLIN, 0},
                                 pollfd{alone_since ? -1 : host.get(), POLLIN, 0}};
    if (::poll(events.data(), events.size(), wait) < 0 && errno != EINTR) return;
    signalfd_siginfo child{};
    while (::read(signals.get(), &child, sizeof child) > 0) {
    }
    if (events[1].revents != 0) alone_since = steady_clock::now();
  }
  if (!guard.has_keeper() && guard.reap()) guard.sweep();
}

}  // namespace gibbous::keeper
