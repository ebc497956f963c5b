#include "runtime/keeper/lookout.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "runtime/keeper/culprit.h"
#include "runtime/keeper/server.h"
#include "runtime/keeper/survey.h"
#include "runtime/keeper/warden.h"
#include "runtime/keeper/wire.h"
#include "runtime/process/launch.h"
#include "runtime/process/proc.h"
#include "runtime/process/run_group.h"
#include "runtime/process/signals.h"

namespace gibbous::keeper {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Later than the wardens, which know more.
constexpr milliseconds kKeeperPatience{3'000};
constexpr milliseconds kMorePatience{1'000};
constexpr milliseconds kWardenPatience{6'000};
constexpr milliseconds kLookAgain{50};  // between two looks at what may be stopped
// Whoever is found stopped so often in a row, and was continued each time, is stopped on purpose.
constexpr int kStoppedLooks = 10;
constexpr milliseconds kLastSweep{5'000};  // then what still lives cannot be ended
constexpr milliseconds kFirstRest{1};
constexpr milliseconds kLongestRest{20};
constexpr int kBusyRounds = 200;
// Wardens are continued by the kernel while they are alert, and are seen stopped less often.
constexpr int kStoppedWardenLooks = 3;
constexpr int kMostLooks = 120;  // then the host asks again
constexpr int kCalmLooks = 40;
// A keeper that hangs in the kernel does not end.
constexpr int kMostKills = 3;
constexpr const char* kLookoutName = "run-lookout";

class Lookout {
 public:
  explicit Lookout(const WardenPage& page) : page_(page), guards_(page) {}

  const Guards& guards() const { return guards_; }
  const Watched& keeper() const { return guards_.keeper(); }

  // Finds the run that stops the guards, and ends it alone. Returns when `is_pointless`.
  void end_culprit(WardenPage& page, const std::function<bool()>& is_pointless) const {
    CulpritSearch search(guards_, page_, is_pointless);
    const auto culprit = search.find();
    if (!culprit) return;
    page.set_culprit(culprit->run);  // before the keeper can see its end
    (void)search.end(*culprit);
  }

  // Ends everything of the runs, without those that are kept.
  void sweep() {
    const CgroupPlaces places = find_cgroup_places();
    kill_run_groups(places, page_.keeper(), [this](pid_t pid) { return is_kept(page_, pid); });
    const auto until = steady_clock::now() + kLastSweep;
    milliseconds pause = kFirstRest;
    int empty = 0;
    for (int round = 0; empty < 2 && steady_clock::now() < until; ++round) {
      // A list is no snapshot: twice nothing is nothing.
      const bool found = end_round();
      empty = found ? 0 : empty + 1;
      if (found && round < kBusyRounds) continue;
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongestRest);
    }
    if (!keeper().alive()) (void)remove_keeper_groups(places, page_.keeper());
  }

 private:
  bool end_round() {
    Survey survey(guards_, page_, true);
    bool found = false;
    for (const ProcessStat& each : survey.find(sessions_)) {
      survey.send(each, SIGKILL);
      found = found || each.alive() || dead_.insert({each.pid, each.start_time}).second;
    }
    return found;
  }

  const WardenPage& page_;
  Guards guards_;
  std::set<pid_t> sessions_;
  std::set<std::pair<pid_t, std::uint64_t>> dead_;  // seen so far
};

// Nobody without privileges sees what it has open, and killing by name (of the host, of Gibbous)
// misses it, as it misses the wardens.
void hide(std::span<char> name) {
  ::prctl(PR_SET_NAME, kLookoutName, 0, 0, 0);
  std::fill(name.begin(), name.end(), '\0');
  std::copy_n(kLookoutName, std::min(std::string_view(kLookoutName).size(), name.size()),
              name.begin());
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

void wait_for(std::span<pollfd> events, int milliseconds) {
  (void)::poll(events.data(), events.size(), milliseconds);
}

// Whether a run stops the guards on purpose: looked at from the host's question on until it is
// known, or they are left alone.
class Suspicion {
 public:
  // `urgent`: the keeper alone is stopped for long, and its wardens do not suffice.
  void ask(bool urgent) {
    asked_ = true;
    urgent_ = urgent_ || urgent;
  }
  bool is_asked() const { return asked_; }
  void drop() { *this = Suspicion(); }

  // One look, which continues the guards. Returns true when it is so.
  bool look(const Guards& guards) {
    const auto stopped = guards.wake_each();
    for (std::size_t i = 0; i < stopped.size(); ++i) stops_[i] += stopped[i] ? 1 : 0;
    calm_ = stopped[0] ? 0 : calm_ + 1;
    const bool on_purpose = stops_[0] >= kStoppedLooks && (urgent_ || are_wardens_stopped(guards));
    if (on_purpose || calm_ >= kCalmLooks || ++looks_ >= kMostLooks) drop();
    return on_purpose;
  }

 private:
  bool are_wardens_stopped(const Guards& guards) const {
    for (std::size_t i = 1; i < stops_.size(); ++i) {
      if (stops_[i] < kStoppedWardenLooks && guards.all()[i].alive()) return false;
    }
    return true;
  }

  bool asked_ = false;
  bool urgent_ = false;
  std::array<int, Guards::kCount> stops_{};
  int looks_ = 0;
  int calm_ = 0;
};

// Takes what the keeper and the host have said. Returns false when nobody can say more.
bool take_words(const UniqueFd& words, Suspicion& suspicion) {
  std::array<char, 16> text{};
  ssize_t got = 0;
  do {
    got = ::recv(words.get(), text.data(), text.size(), MSG_DONTWAIT);
    for (ssize_t i = 0; i < got; ++i) {
      const char word = text[static_cast<std::size_t>(i)];
      if (word == wire::kKeeperStopped) suspicion.ask(false);
      if (word == wire::kKeeperStoppedLong) suspicion.ask(true);
    }
  } while (got == static_cast<ssize_t>(text.size()));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void look_out(UniqueFd host, UniqueFd words, WardenPage& page) {
  Suspicion suspicion;
  // Until the host knows the keeper, nothing is started.
  std::array<pollfd, 1> first{pollfd{words.get(), POLLIN, 0}};
  while (!page.greeted()) {
    wait_for(first, -1);
    if (!take_words(words, suspicion)) return;
  }
  Lookout lookout(page);
  pid_t host_pid = page.host();
  Time since = Time::max();  // the end of the host, or of the keeper
  bool had_keeper = true;
  int stopped = 0;
  int kills = 0;
  // Wardens of a keeper that has left nothing have nothing to do.
  const auto has_warden = [&] { return !page.is_done() && lookout.guards().has_warden(); };
  while (lookout.keeper().alive() || has_warden()) {
    const Time now = steady_clock::now();
    const bool has_keeper = lookout.keeper().alive();
    if (page.host() != host_pid) {
      host_pid = page.host();
      host = open_process(host_pid);
    }
    int wait = -1;
    if (has_keeper && !is_over(host)) {
      since = Time::max();
      stopped = 0;
      if (suspicion.is_asked()) {
        if (suspicion.look(lookout.guards())) {
          lookout.end_culprit(page, [&] { return !lookout.keeper().alive() || is_over(host); });
        }
        wait = static_cast<int>(kLookAgain.count());
      }
    } else {
      suspicion.drop();
      if (since == Time::max() || has_keeper != had_keeper) since = now;
      const Time at_least = since + (has_keeper ? kKeeperPatience : kWardenPatience);
      const Time until = has_keeper ? page.patience(at_least) : at_least;
      // A stopped keeper that has left nothing is no loss; and leak checks stop what they look at.
      stopped = !page.is_done() && lookout.guards().wake() ? stopped + 1 : 0;
      if (until != Time::max() && now >= until + kMorePatience) {
        lookout.sweep();  // first: one of them may be what stops the others
        if (!has_keeper) {
          lookout.guards().end_wardens();
          break;
        }
        if (++kills > kMostKills) return;
        (void)lookout.keeper().send(SIGKILL);
        since = now;
      } else if (stopped >= kStoppedLooks) {
        lookout.sweep();
        (void)lookout.guards().wake();
        stopped = 0;
      }
      // A keeper that serves kept runs alone needs no looks.
      if (until != Time::max() || now < since + kKeeperPatience) {
        wait = static_cast<int>(kLookAgain.count());
      }
    }
    had_keeper = has_keeper;
    std::array<pollfd, 5> events{pollfd{words.get(), POLLIN, 0},
                                 pollfd{since == Time::max() ? host.get() : -1, POLLIN, 0}};
    // Between two looks, only what changes something.
    for (std::size_t i = 0; i < lookout.guards().all().size(); ++i) {
      const Watched& guard = lookout.guards().all()[i];
      const bool counts = i == 0 || !has_keeper;
      events[2 + i] = pollfd{counts && guard.alive() ? guard.process.get() : -1, POLLIN, 0};
    }
    wait_for(events, wait);
    if (events[0].revents != 0 && !take_words(words, suspicion)) words.reset();
  }
  if (!page.is_done()) lookout.sweep();
}

}  // namespace

void start_lookout(WardenPage& page, const UniqueFd& host, std::span<char> name) {
  std::array<int, 2> ends{-1, -1};
  if (!host || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  UniqueFd words(ends[0]);
  UniqueFd voice(ends[1]);
  const pid_t between = ::fork();
  if (between > 0) {
    ::waitpid(between, nullptr, 0);
    page.set_voice(voice.release());
    return;
  }
  if (between < 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  ::close(kInheritedSocket);
  voice.reset();
  hide(name);
  stay_reachable(words.get());  // each word continues it, whoever has stopped it
  look_out(UniqueFd(::dup(host.get())), std::move(words), page);
  ::_exit(0);
}

}  // namespace gibbous::keeper
