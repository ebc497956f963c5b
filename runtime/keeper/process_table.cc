// Attribution, from the surest to the weakest: already known, the mark, the control group, the
// session, GIBBOUS_RUN.
#include "runtime/keeper/process_table.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

#include "runtime/keeper/detached.h"
#include "runtime/keeper/kill_job.h"
#include "runtime/keeper/limiter.h"
#include "runtime/keeper/starter.h"
#include "runtime/process/launch.h"
#include "runtime/process/proc.h"
#include "runtime/process/run_group.h"
#include "runtime/process/signals.h"

namespace gibbous::keeper {
namespace {}  // namespace

ProcessTable::ProcessTable(std::uint32_t keeper_number, ProcessTree tree)
    : keeper_number_(keeper_number),
      keeper_group_(keeper_group_name(keeper_number)),
      tree_(std::move(tree)) {}

ProcessTable::~ProcessTable() = default;

Mark ProcessTable::next_mark() {
  do {
    last_mark_run_ = last_mark_run_ == kMaxMarkRun ? 1 : last_mark_run_ + 1;
  } while (by_mark_.contains(last_mark_run_));
  return {keeper_number_, last_mark_run_};
}

KeeperRun& ProcessTable::add(RunKey key, Mark mark, pid_t leader, std::string env_tag) {
  KeeperRun& run = runs_[key];
  run.key = key;
  run.mark_run = mark.run;
  run.leader = leader;
  run.session = leader;
  run.env_tag = std::move(env_tag);
  by_leader_[leader] = key;
  by_mark_[mark.run] = key;
  by_session_[leader] = key;
  return run;
}

KeeperRun* ProcessTable::find(RunKey key) {
  const auto entry = runs_.find(key);
  return entry == runs_.end() ? nullptr : &entry->second;
}

KeeperRun* ProcessTable::find_leader(pid_t pid) {
  const auto entry = by_leader_.find(pid);
  return entry == by_leader_.end() ? nullptr : find(entry->second);
}

void ProcessTable::remove(KeeperRun& run) {
  by_mark_.erase(run.mark_run);
  if (run.leader != 0) by_leader_.erase(run.leader);
  const auto session = by_session_.find(run.session);
  if (session != by_session_.end() && session->second == run.key) by_session_.erase(session);
  runs_.erase(run.key);
}

KeeperRun* ProcessTable::run_of_orphan(pid_t pid) {
  const auto [known, is_new] = orphans_.try_emplace(pid);
  if (is_new) known->second = attribute(pid);
  return find(known->second.run);
}

// First what a process cannot change: its ancestors, its group (unless it is privileged) and its
// session.
ProcessTable::Owner ProcessTable::attribute(pid_t pid) {
  if (const auto seen = sightings_.find(pid); seen != sightings_.end() && find(seen->second.run)) {
    const auto stat = read_stat(pid);
    if (stat && stat->start_time <= seen->second.time) return {seen->second.run, true};
  }
  if (const auto number = read_run_group(pid, keeper_group_)) {
    for (auto& [key, run] : runs_) {
      if (run.group == *number) return {key, true};
    }
  }
  if (const auto entry = by_session_.find(::getsid(pid)); entry != by_session_.end()) {
    return {entry->second, true};
  }
  const auto marks = read_marks(pid);
  const auto marked = marks ? marks->run_of(keeper_number_) : std::nullopt;
  if (const auto entry = by_mark_.find(marked.value_or(0)); entry != by_mark_.end()) {
    return {entry->second, marks->sure_run_of(keeper_number_).has_value()};
  }
  const auto tag = read_environment_variable(pid, kRunVariable);
  for (auto& [key, run] : runs_) {
    if (tag && !tag->empty() && run.env_tag == *tag) return {key, mark_mode() == MarkMode::kNone};
  }
  return {};
}

void ProcessTable::note_sightings(RunKey run, const std::vector<pid_t>& members,
                                  std::uint64_t time) {
  for (const pid_t pid : members) sightings_[pid] = {run, time};
  if (sightings_.size() < most_sightings_) return;
  std::erase_if(sightings_, [](const auto& each) { return ::kill(each.first, 0) != 0; });
  most_sightings_ = std::max(most_sightings_, 2 * sightings_.size());
}

void ProcessTable::forget_process(pid_t pid) {
  if (KeeperRun* run = find_leader(pid)) run->leader = 0;
  by_leader_.erase(pid);
  orphans_.erase(pid);
  apart_.erase(pid);
}

void ProcessTable::rescan() {
  for (const RunKey key : with_orphans_) {
    if (KeeperRun* run = find(key)) run->orphans.clear();
  }
  with_orphans_.clear();
  own_children_ = tree_.own_children();
  std::erase_if(own_children_, [this](pid_t pid) { return apart_.contains(pid); });
  for (const pid_t pid : own_children_) {
    if (by_leader_.contains(pid)) continue;
    KeeperRun* run = run_of_orphan(pid);
    if (run == nullptr) continue;
    if (run->orphans.empty()) with_orphans_.push_back(run->key);
    run->orphans.push_back(pid);
  }
}

std::vector<pid_t> ProcessTable::strangers(const KeeperRun* run) const {
  std::vector<pid_t> all;
  for (const pid_t pid : own_children_) {
    const auto known = orphans_.find(pid);
    if (known == orphans_.end()) continue;
    const Owner& owner = known->second;
    if ((owner.sure && runs_.contains(owner.run)) || (run && owner.run == run->key)) continue;
    const auto stat = read_stat(pid);
    if (stat && stat->alive() && !(run && stat->start_time < run->start_time)) all.push_back(pid);
  }
  return all;
}

std::vector<pid_t> ProcessTable::members(const KeeperRun& run) {
  std::vector<pid_t> roots;
  if (run.leader != 0) roots.push_back(run.leader);
  bool sure = true;
  for (const pid_t pid : run.orphans) {
    // One that was reaped meanwhile may have its pid from elsewhere by now, and so children, too.
    const auto known = orphans_.find(pid);
    if (known == orphans_.end()) continue;
    roots.push_back(pid);
    sure = sure && known->second.sure;
  }
  const std::uint64_t now = boot_ticks(boot_nanoseconds());
  std::vector<pid_t> all = tree_.with_descendants(roots);
  if (sure) note_sightings(run.key, all, now);
  return all;
}

std::vector<pid_t> ProcessTable::all_members() {
  std::vector<pid_t> roots;
  std::copy_if(own_children_.begin(), own_children_.end(), std::back_inserter(roots),
               [this](pid_t pid) { return is_own_child(pid) && !is_spared(pid); });
  return tree_.with_descendants(roots);
}

bool ProcessTable::is_spared(pid_t own_child) {
  if (!spare_detached_) return false;
  const KeeperRun* run = find_leader(own_child);
  if (run == nullptr) run = run_of_orphan(own_child);
  const auto orphan = orphans_.find(own_child);
  // What may have made up that it belongs to a detached run ends with the others.
  return run != nullptr && run->keep != nullptr &&
         (orphan == orphans_.end() || orphan->second.sure);
}

bool ProcessTable::is_own_child(pid_t pid) const {
  return by_leader_.contains(pid) || orphans_.contains(pid);
}

void ProcessTable::signal_group(const KeeperRun& run, int signal_number) {
  // The leader is not reaped yet, so its pid can name no other group.
  if (run.leader != 0) ::kill(-run.leader, signal_number);
}

void ProcessTable::signal(const KeeperRun& run, const std::vector<pid_t>& members,
                          int signal_number) {
  if (signal_number == SIGKILL && run.limits && run.limits->group) run.limits->group->kill();
  signal_group(run, signal_number);
  const pid_t group = run.leader;
  for (const pid_t pid : members) {
    if (group != 0 && ::getpgid(pid) == group) continue;
    send(pid, signal_number, [&](pid_t held) {
      const auto marks = read_marks(held);
      if (marks && marks->run_of(keeper_number_) == run.mark_run) return true;
      const auto stat = read_stat(held);
      if (!stat) return false;
      return stat->session == run.session ||
             std::find(members.begin(), members.end(), stat->parent) != members.end();
    });
  }
}

template <typename StillOurs>
void ProcessTable::send(pid_t pid, int signal_number, StillOurs still_ours) {
  // Only the keeper can reap its children, so their pids cannot be reused yet.
  const bool own = is_own_child(pid);
  if (signal_number == SIGKILL) {
    // Every group below a run belongs to that run alone, because its leader began a session.
    kill_group_if(pid, [&](pid_t held) { return own || still_ours(held); });
  }
  if (own) {
    ::kill(pid, signal_number);
  } else {
    (void)send_signal_if(pid, signal_number, still_ours);
  }
}

void ProcessTable::signal_all(const std::vector<pid_t>& members, int signal_number) {
  for (const auto& [leader, key] : by_leader_) {
    if (!is_spared(leader)) ::kill(-leader, signal_number);
  }
  for (const pid_t pid : members) {
    if (by_leader_.contains(::getpgid(pid))) continue;
    send(pid, signal_number, [&](pid_t held) {
      const auto marks = read_marks(held);
      if (marks && marks->run_of(keeper_number_)) return true;
      const auto stat = read_stat(held);
      return stat && std::find(members.begin(), members.end(), stat->parent) != members.end();
    });
  }
}

void ProcessTable::halt(const KeeperRun* run) {
  constexpr int kMaxPasses = 200;
  std::unordered_set<pid_t> stopped;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    rescan();
    const std::vector<pid_t> all = run == nullptr ? all_members() : members(*run);
    const std::size_t known = stopped.size();
    stopped.insert(all.begin(), all.end());
    if (stopped.size() == known) return;
    run == nullptr ? signal_all(all, SIGSTOP) : signal(*run, all, SIGSTOP);
  }
}

std::vector<pid_t> ProcessTable::alive(const std::vector<pid_t>& pids) {
  std::vector<pid_t> living;
  for (const pid_t pid : pids) {
    const auto stat = read_stat(pid);
    if (stat && stat->alive()) living.push_back(pid);
  }
  return living;
}

}  // namespace gibbous::keeper
