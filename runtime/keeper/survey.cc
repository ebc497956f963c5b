#include "runtime/keeper/survey.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "runtime/keeper/warden.h"
#include "runtime/process/mark.h"
#include "runtime/process/run_group.h"
#include "runtime/process/signals.h"

namespace gibbous::keeper {
namespace {

std::optional<std::uint32_t> run_of(const WardenPage& page, pid_t pid) {
  const auto marks = read_marks(pid);
  return marks ? marks->run_of(page.keeper()) : std::nullopt;
}

// By what processes belong together, the surest first.
enum class Tie : std::uint8_t { kRun = 1, kGroup, kSession, kProcess };

std::uint64_t key_of(Tie tie, std::uint64_t number) {
  constexpr int kTieShift = 32;
  return static_cast<std::uint64_t>(tie) << kTieShift | number;
}

// Which of a number of things belong together.
class Parts {
 public:
  explicit Parts(std::size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), 0U); }
  std::size_t of(std::size_t thing) {
    while (above_[thing] != thing) thing = above_[thing] = above_[above_[thing]];
    return thing;
  }
  void join(std::size_t one, std::size_t other) { above_[of(one)] = of(other); }

 private:
  std::vector<std::size_t> above_;
};

}  // namespace

UniqueFd open_process(pid_t pid) {
  return UniqueFd(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)) : -1);
}

bool is_over(const UniqueFd& process) {
  pollfd end{process.get(), POLLIN, 0};
  return !process || ::poll(&end, 1, 0) > 0;
}

bool is_kept(const WardenPage& page, pid_t pid) {
  return page.spares(pid);
}

bool Watched::send(int number) const {
  return ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0U) == 0;
}

bool Watched::wake() const {
  return alive() && is_stopped(pid) && send(SIGCONT);
}

Guards::Guards(const WardenPage& page)
    : all_{Watched(page.process()), Watched(page.warden()), Watched(page.second())} {}

std::array<bool, Guards::kCount> Guards::wake_each() const {
  std::array<bool, kCount> stopped{};
  for (std::size_t i = 0; i < kCount; ++i) stopped[i] = all_[i].wake();
  return stopped;
}

bool Guards::wake() const {
  const auto stopped = wake_each();
  return std::find(stopped.begin(), stopped.end(), true) != stopped.end();
}

void Guards::end_wardens() const {
  for (const Watched* warden : {&all_[1], &all_[2]}) (void)warden->send(SIGKILL);
}

Survey::Survey(const Guards& guards, const WardenPage& page, bool spares_kept)
    : page_(page), spares_kept_(spares_kept) {
  for (const Watched& guard : guards.all()) {
    if (!guard.alive()) continue;
    guards_.insert(guard.pid);
    if (const auto stat = read_stat(guard.pid)) {
      spared_groups_.insert(stat->group);
      spared_sessions_.insert(stat->session);
    }
  }
}

std::vector<ProcessStat> Survey::find(std::set<pid_t>& sessions) {
  std::vector<pid_t> pids;
  (void)list_numbers("/proc", pids);
  for (const pid_t pid : pids) {
    if (guards_.contains(pid) || pid == ::getpid()) continue;
    const auto stat = read_stat(pid);
    if (!stat) continue;
    all_[pid] = *stat;
    children_[stat->parent].push_back(pid);
  }
  for (const pid_t guard : guards_) add_below(guard);
  for (const auto& [pid, stat] : all_) add_marked(stat);
  for (const ProcessStat& each : found_) {
    if (!spared_sessions_.contains(each.session)) sessions.insert(each.session);
  }
  std::erase_if(sessions, [this](pid_t session) { return !has_session(session); });
  for (const auto& [pid, stat] : all_) {
    if (sessions.contains(stat.session) && !spares(pid)) add(stat);
  }
  return std::move(found_);
}

std::vector<Suspect> Survey::suspects(std::set<pid_t>& sessions) {
  const std::vector<ProcessStat> found = find(sessions);
  const std::string group_name = keeper_group_name(page_.keeper());
  Parts parts(found.size());
  std::vector<std::optional<std::uint32_t>> groups(found.size());
  std::vector<std::uint32_t> runs(found.size());
  std::map<std::uint64_t, std::size_t> first;  // with that tie
  const auto tie = [&](Tie by, std::uint64_t number, std::size_t at) {
    parts.join(at, first.try_emplace(key_of(by, number), at).first->second);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ProcessStat& stat = found[i];
    runs[i] = run_of(page_, stat.pid).value_or(0);
    groups[i] = read_run_group(stat.pid, group_name);
    if (runs[i] != 0) tie(Tie::kRun, runs[i], i);
    if (groups[i]) tie(Tie::kGroup, *groups[i], i);
    if (!spared_sessions_.contains(stat.session)) {
      tie(Tie::kSession, static_cast<std::uint64_t>(stat.session), i);
    }
    tie(Tie::kProcess, static_cast<std::uint64_t>(stat.pid), i);
    if (known_.contains(stat.parent)) {
      tie(Tie::kProcess, static_cast<std::uint64_t>(stat.parent), i);
    }
  }
  std::map<std::size_t, Suspect> all;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ProcessStat& stat = found[i];
    Suspect& suspect = all[parts.of(i)];
    std::uint64_t key = key_of(Tie::kProcess, static_cast<std::uint64_t>(stat.pid));
    if (!spared_sessions_.contains(stat.session)) {
      key = key_of(Tie::kSession, static_cast<std::uint64_t>(stat.session));
    }
    if (groups[i]) key = key_of(Tie::kGroup, *groups[i]);
    if (runs[i] != 0) key = key_of(Tie::kRun, runs[i]);
    if (runs[i] != 0) suspect.run = runs[i];
    suspect.key = suspect.key == 0 ? key : std::min(suspect.key, key);
    suspect.processes.push_back({stat, groups[i]});
  }
  std::vector<Suspect> list;
  for (auto& [part, suspect] : all) list.push_back(std::move(suspect));
  return list;
}

void Survey::send(const ProcessStat& process, int number) const {
  const auto still_it = [&process](pid_t pid) {
    const auto now = read_stat(pid);
    return now && now->start_time == process.start_time;
  };
  // Zombies keep their groups, and may be all that is seen of what forks and exits for ever.
  const pid_t group = ::getpgid(process.pid);
  if (group > 1 && group != ::getpgrp() && !is_spared_group(group) && still_it(process.pid)) {
    ::kill(-group, number);
  }
  (void)send_signal_if(process.pid, number, still_it);
}

void Survey::add(const ProcessStat& stat) {
  if (known_.insert(stat.pid).second) found_.push_back(stat);
}

void Survey::add_below(pid_t root) {
  std::vector<pid_t> parents{root};
  for (std::size_t next = 0; next < parents.size(); ++next) {
    for (const pid_t child : children_[parents[next]]) {
      if (spares(child)) continue;
      add(all_[child]);
      parents.push_back(child);
    }
  }
}

void Survey::add_marked(const ProcessStat& stat) {
  const auto run = run_of(page_, stat.pid);
  if (run && !(spares_kept_ && page_.is_kept(*run))) add(stat);
}

bool Survey::has_session(pid_t session) const {
  return std::any_of(all_.begin(), all_.end(),
                     [session](const auto& each) { return each.second.session == session; });
}

}  // namespace gibbous::keeper
