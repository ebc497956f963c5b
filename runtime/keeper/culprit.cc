// Parents are stopped before their children, and go on after them, so that no shell sees a job of
// its own stopped.
#include "runtime/keeper/culprit.h"

#include <signal.h>

#include <algorithm>
#include <thread>

#include "runtime/keeper/warden.h"
#include "runtime/process/run_group.h"
#include "runtime/process/signals.h"

namespace gibbous::keeper {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLongestSearch{8'000};
// How long the guards are left alone by what does not stop them. Doubled when nobody was found: on
// a busy machine the culprit may not have had its turn.
constexpr milliseconds kFirstPatience{150};
constexpr milliseconds kBetweenLooks{2};
constexpr int kStops = 2;  // one may have been on its way
// Within one round: as long as new processes keep appearing, they are held without a pause.
constexpr int kMostPasses = 50;
constexpr milliseconds kLongestEnd{2'000};

// It runs nothing of its own.
bool is_still(const ProcessStat& process) {
  return !process.alive() || process.state == 't' || is_stopped(process.pid);
}

void send_to(const std::pair<pid_t, std::uint64_t>& process, int number) {
  (void)send_signal_if(process.first, number, [&process](pid_t pid) {
    const auto now = read_stat(pid);
    return now && now->start_time == process.second;
  });
}

}  // namespace

CulpritSearch::CulpritSearch(const Guards& guards, const WardenPage& page,
                             std::function<bool()> is_pointless)
    : guards_(guards),
      page_(page),
      is_pointless_(std::move(is_pointless)),
      until_(steady_clock::now() + kLongestSearch) {
  for (const FoundGroup& group : find_run_groups(find_cgroup_places(), page_.keeper())) {
    places_.emplace(group.number, group.path);
  }
  for (const Suspect& suspect : look()) {
    for (const Suspect::Process& process : suspect.processes) {
      if (process.stat.state != 'T') continue;
      stopped_before_.insert({process.stat.pid, process.stat.start_time});
    }
  }
}

CulpritSearch::~CulpritSearch() {
  let_go_of_all();
}

std::vector<Suspect> CulpritSearch::look() {
  return Survey(guards_, page_, false).suspects(sessions_);
}

bool CulpritSearch::is_time_up() const {
  return steady_clock::now() >= until_ || is_pointless_();
}

std::optional<Suspect> CulpritSearch::find() {
  for (milliseconds patience = kFirstPatience; !is_time_up(); patience *= 2) {
    Keys left;
    if (are_stopped_by({}, patience)) {
      // Either it is nothing that the keeper has started, or it cannot be held.
      left = loose();
      if (left.size() != 1) continue;
    } else {
      for (const Suspect& suspect : look()) left.push_back(suspect.key);
    }
    while (left.size() > 1 && !is_time_up()) {
      const auto middle = left.begin() + static_cast<std::ptrdiff_t>(left.size() / 2);
      const Keys first(left.begin(), middle);
      left = are_stopped_by(first, patience) ? first : Keys(middle, left.end());
    }
    if (left.size() != 1 || !are_stopped_by(left, patience)) continue;
    const Keys free = loose();
    if (std::any_of(free.begin(), free.end(), [&](auto key) { return key != left.front(); })) {
      continue;
    }
    for (Suspect& suspect : look()) {
      if (suspect.key == left.front()) return std::move(suspect);
    }
  }
  let_go_of_all();
  return std::nullopt;
}

bool CulpritSearch::are_stopped_by(const Keys& free, milliseconds patience) {
  hold_all_but(free);
  (void)guards_.wake();
  const auto until = steady_clock::now() + patience;
  int stops = 0;
  while (stops < kStops && steady_clock::now() < until && !is_time_up()) {
    std::this_thread::sleep_for(kBetweenLooks);
    if (guards_.wake()) ++stops;
  }
  return stops >= kStops;
}

void CulpritSearch::hold_all_but(const Keys& free) {
  const auto is_free = [&free](const Suspect& suspect) {
    return std::find(free.begin(), free.end(), suspect.key) != free.end();
  };
  bool found = true;
  for (int pass = 0; found && pass < kMostPasses; ++pass) {
    found = false;
    Survey survey(guards_, page_, false);
    for (const Suspect& suspect : survey.suspects(sessions_)) {
      if (!is_free(suspect)) found = hold(survey, suspect) || found;
    }
  }
  // Last, so that nobody else runs meanwhile.
  for (const Suspect& suspect : look()) {
    if (is_free(suspect)) let_go(suspect);
  }
}

bool CulpritSearch::hold(const Survey& survey, const Suspect& suspect) {
  bool held = false;
  for (const Suspect::Process& process : suspect.processes) {
    if (process.group && !held_groups_.contains(*process.group)) {
      const auto place = places_.find(*process.group);
      if (place != places_.end() && hold_run_group(place->second, true)) {
        held_groups_.insert(*process.group);
        held = true;
      }
    }
    const Identity identity{process.stat.pid, process.stat.start_time};
    if (process.group && held_groups_.contains(*process.group)) continue;
    if (!process.stat.alive() || stopped_before_.contains(identity)) continue;
    if (std::find(held_.begin(), held_.end(), identity) == held_.end()) {
      held_.push_back(identity);
    } else if (is_still(process.stat)) {
      continue;
    }
    held = true;
    survey.send(process.stat, SIGSTOP);
  }
  return held;
}

bool CulpritSearch::is_held(const Suspect::Process& process) const {
  return (process.group && held_groups_.contains(*process.group)) || is_still(process.stat);
}

void CulpritSearch::let_go(const Suspect& suspect) {
  for (auto process = suspect.processes.rbegin(); process != suspect.processes.rend(); ++process) {
    if (process->group && held_groups_.erase(*process->group) > 0) {
      (void)hold_run_group(places_[*process->group], false);
    }
    const Identity identity{process->stat.pid, process->stat.start_time};
    if (std::erase(held_, identity) > 0) send_to(identity, SIGCONT);
  }
}

void CulpritSearch::let_go_of_all() {
  for (const std::uint32_t group : held_groups_) (void)hold_run_group(places_[group], false);
  held_groups_.clear();
  for (auto each = held_.rbegin(); each != held_.rend(); ++each) send_to(*each, SIGCONT);
  held_.clear();
}

CulpritSearch::Keys CulpritSearch::loose() {
  Keys keys;
  for (const Suspect& suspect : look()) {
    const bool held =
        std::all_of(suspect.processes.begin(), suspect.processes.end(),
                    [this](const Suspect::Process& process) { return is_held(process); });
    if (!held) keys.push_back(suspect.key);
  }
  return keys;
}

bool CulpritSearch::end(const Suspect& culprit) {
  const auto until = steady_clock::now() + kLongestEnd;
  while (steady_clock::now() < until) {
    bool found = false;
    Survey survey(guards_, page_, false);
    for (const Suspect& suspect : survey.suspects(sessions_)) {
      if (suspect.key != culprit.key) continue;
      for (const Suspect::Process& process : suspect.processes) {
        found = found || process.stat.alive();
        survey.send(process.stat, SIGKILL);
      }
    }
    if (!found) return true;
    (void)guards_.wake();
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return false;
}

}  // namespace gibbous::keeper
