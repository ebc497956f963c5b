// Control groups report their own events. Processor time, and what has no group, is looked at again
// at the earliest time at which it could be used up.
#include "runtime/keeper/limiter.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/process/memory.h"
#include "runtime/process/usage.h"

namespace gibbous::keeper {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds kPollPause{50};  // for limits without a group
// How fast a tree can take memory: the nearer it is to its limit, the sooner it is looked at again.
constexpr std::uint64_t kBytesPerMilli = std::uint64_t{4} << 20U;
constexpr milliseconds kMinMemoryPause{5};
constexpr int kExactShare = 20;  // an exact look takes at most this part of the time
constexpr milliseconds kMinCpuPause{10};
constexpr milliseconds kMaxCpuPause{1'000};
constexpr milliseconds kRemovePause{5};
constexpr milliseconds kLongestRemovePause{1'000};
constexpr std::chrono::seconds kGroupPause{10};  // after one could not be made
constexpr milliseconds kLookPause{5};
constexpr int kLooksAfterEvent = 20;
constexpr std::size_t kReadyGroups = 2;
constexpr std::size_t kMaxReadyGroups = 16;

}  // namespace

Limiter::Limiter(ProcessTable& table, int epoll, std::uint32_t keeper_number)
    : process_table_(table), epoll_(epoll), group_name_(keeper_group_name(keeper_number)) {}

Limiter::~Limiter() = default;

void Limiter::find_places() {
  if (places_) return;
  places_ = find_cgroup_places();
  sweep_groups(*places_);
}

void Limiter::find_places_again() {
  places_.reset();
  next_group_ = {};
  const Time now = std::chrono::steady_clock::now();
  for (auto& group : std::exchange(ready_, {})) leave(std::move(group), now);
}

bool Limiter::lacks_ready() const {
  if (!places_) return true;
  return makes_groups_ && places_->kill.ok() && ready_.size() < kReadyGroups &&
         std::chrono::steady_clock::now() >= next_group_;
}

void Limiter::make_ready() {
  find_places();
  while (lacks_ready()) {
    auto group = RunGroup::create(*places_, group_name_, ++last_group_, {});
    if (!group) {
      next_group_ = std::chrono::steady_clock::now() + kGroupPause;
      return;
    }
    (*group)->close_entries();
    ready_.push_back(std::move(*group));
  }
}

std::unique_ptr<RunGroup> Limiter::take_ready() {
  if (!makes_groups_ || !places_->kill.ok()) return nullptr;
  while (!ready_.empty()) {
    std::unique_ptr<RunGroup> group = std::move(ready_.back());
    ready_.pop_back();
    if (group->open_again()) return group;
    leave(std::move(group), std::chrono::steady_clock::now());
  }
  auto group = RunGroup::create(*places_, group_name_, ++last_group_, {});
  return group ? std::move(*group) : nullptr;
}

Result<std::unique_ptr<DetachedLimits>> Limiter::prepare(const TreeLimits& limits) {
  find_places();
  auto kept = std::make_unique<DetachedLimits>();
  kept->limits = limits;
  kept->kills_around = count_memory_kills(places_->memory_around);
  std::string why = "this machine gives Gibbous no cpu control group";
  // Processor time alone needs no limit of a group.
  if (limits.memory_bytes != 0 || limits.pids != 0 || limits.cpu_share_millis != 0) {
    auto group = RunGroup::create(*places_, group_name_, ++last_group_, limits);
    if (group) {
      kept->group = std::move(*group);
      kept->in_force = kept->group->in_force();
    } else {
      why = group.status().message();  // this run is polled; the next one may get a group
    }
  }
  if (!kept->group) kept->group = take_ready();
  LimitsInForce& by = kept->in_force;
  if (limits.cpu_share_millis != 0 && by.cpu_share == LimitMeans::kNone) {
    return Status::error("limit_unavailable", "limits.cpu_share: " + why +
                                                  "; leave it out, or delegate the cpu controller");
  }
  const auto polled_unless_held = [](bool set, LimitMeans& means) {
    if (set && means == LimitMeans::kNone) means = LimitMeans::kPolling;
  };
  polled_unless_held(limits.memory_bytes != 0, by.memory);
  polled_unless_held(limits.pids != 0, by.pids);
  polled_unless_held(limits.cpu_time.count() != 0, by.cpu_time);
  return kept;
}

void Limiter::begin(KeeperRun& run, Time now) {
  DetachedLimits& kept = *run.limits;
  if (kept.group) {
    kept.group->close_entries();
    for (const UniqueFd& fd : kept.group->events()) {
      epoll_event event{EPOLLIN | EPOLLPRI | EPOLLET, {.fd = fd.get()}};
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd.get(), &event);
    }
  }
  const LimitsInForce& by = kept.in_force;
  const bool polled = by.memory == LimitMeans::kPolling || by.pids == LimitMeans::kPolling;
  if (!polled && by.cpu_time != LimitMeans::kPolling) return;
  if (by.memory == LimitMeans::kPolling) kept.machine_shared = machine_shared_memory();
  kept.due = kept.poll_due = now + kMinCpuPause;
  limited_.push_back(run.key);
  note_due(kept.due);
}

KeeperRun* Limiter::run_of_event(int fd) {
  KeeperRun* found = nullptr;
  process_table_.for_each([&](KeeperRun& run) {
    if (!run.limits || !run.limits->group) return;
    for (const UniqueFd& event : run.limits->group->events()) {
      if (event.get() == fd) found = &run;
    }
  });
  return found;
}

void Limiter::look_again(KeeperRun& run, Time now) {
  DetachedLimits& kept = *run.limits;
  if (kept.looks > 0) return;  // it is already being looked at
  kept.looks = kLooksAfterEvent;
  kept.due = std::min(kept.due, now + kLookPause);
  if (std::find(limited_.begin(), limited_.end(), run.key) == limited_.end()) {
    limited_.push_back(run.key);
  }
  note_due(kept.due);
}

std::optional<LimitReached> Limiter::look(KeeperRun& run) {
  if (!run.limits || run.limits->reached || !run.limits->group) return std::nullopt;
  auto reached = run.limits->group->reached();
  run.limits->reached = reached.has_value();
  return reached;
}

std::optional<LimitReached> Limiter::killed_around(const KeeperRun& run) const {
  if (!places_ || !run.limits) return std::nullopt;
  const CgroupPlace& around = places_->memory_around;
  if (count_memory_kills(around) <= run.limits->kills_around) return std::nullopt;
  return LimitReached{LimitKind::kMemory, memory_limit_of(around), 0};
}

// Returns what the tree has in memory once that may be over the limit, and less before: the sum of
// its resident memory counts shared pages for each process, and no file in memory that it holds.
Limiter::MemoryLook Limiter::look_at_memory(DetachedLimits& kept, std::span<const pid_t> members,
                                            std::uint64_t resident) {
  const std::uint64_t limit = kept.limits.memory_bytes;
  const std::uint64_t shared = machine_shared_memory();
  // What others let go of must not hide what this one takes.
  kept.machine_shared = std::min(kept.machine_shared, shared);
  const std::uint64_t most = resident + shared - std::min(shared, kept.machine_shared);
  if (most <= limit) {
    const milliseconds soon((limit - most) / kBytesPerMilli);
    return {most, std::clamp(soon, kMinMemoryPause, kPollPause)};
  }
  const Time before = std::chrono::steady_clock::now();
  const std::uint64_t used = read_tree_memory(members);
  const auto took = std::chrono::ceil<milliseconds>(std::chrono::steady_clock::now() - before);
  return {used, std::max(kPollPause, took * kExactShare)};
}

std::optional<LimitReached> Limiter::poll(KeeperRun& run, Time now) {
  DetachedLimits& kept = *run.limits;
  Time next = Time::max();
  const std::vector<pid_t> members = process_table_.members(run);
  const TreeUsage usage = read_usage({.pids = members});
  const LimitsInForce& by = kept.in_force;
  const auto over = [&kept](LimitKind kind, std::uint64_t limit,
                            std::uint64_t used) -> std::optional<LimitReached> {
    kept.reached = true;
    return LimitReached{kind, limit, used};
  };
  if (by.memory == LimitMeans::kPolling) {
    const MemoryLook memory = look_at_memory(kept, members, usage.rss_bytes);
    if (memory.used > kept.limits.memory_bytes) {
      return over(LimitKind::kMemory, kept.limits.memory_bytes, memory.used);
    }
    next = std::min<Time>(next, now + memory.pause);
  }
  if (by.pids == LimitMeans::kPolling && usage.threads > kept.limits.pids) {
    return over(LimitKind::kPids, kept.limits.pids, usage.threads);
  }
  if (by.pids == LimitMeans::kPolling) next = std::min<Time>(next, now + kPollPause);
  if (by.cpu_time == LimitMeans::kPolling) {
    const microseconds used = usage.cpu + run.reaped_cpu;
    if (used >= kept.limits.cpu_time) {
      return over(LimitKind::kCpuTime, static_cast<std::uint64_t>(kept.limits.cpu_time.count()),
                  static_cast<std::uint64_t>(used.count()));
    }
    const long processors = std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L);
    const auto earliest = (kept.limits.cpu_time - used) / processors;
    next = std::min(next, now + std::clamp<Time::duration>(earliest, kMinCpuPause, kMaxCpuPause));
  }
  kept.poll_due = next;
  return std::nullopt;
}

std::optional<LimitReached> Limiter::check(KeeperRun& run, Time now, bool& rescanned) {
  DetachedLimits& kept = *run.limits;
  Time next_look = Time::max();
  if (kept.looks > 0) {
    if (auto reached = look(run)) return reached;
    if (--kept.looks > 0) next_look = now + kLookPause;
  }
  if (now >= kept.poll_due) {
    if (!std::exchange(rescanned, true)) process_table_.rescan();
    if (auto reached = poll(run, now)) return reached;
  }
  kept.due = std::min(next_look, kept.poll_due);
  return std::nullopt;
}

std::vector<std::pair<RunKey, LimitReached>> Limiter::tick(Time now) {
  std::vector<std::pair<RunKey, LimitReached>> used_up;
  if (now < due_) return used_up;
  due_ = Time::max();
  std::erase_if(leaving_, [](const std::unique_ptr<RunGroup>& group) { return group->remove(); });
  remove_pause_ = leaving_.empty() ? kRemovePause
                                   : std::min<milliseconds>(remove_pause_ * 2, kLongestRemovePause);
  if (!leaving_.empty()) note_due(now + remove_pause_);
  bool rescanned = false;
  std::erase_if(limited_, [&](RunKey key) {
    KeeperRun* run = process_table_.find(key);
    if (run == nullptr || !run->limits || run->limits->reached) return true;
    if (now >= run->limits->due) {
      if (const auto reached = check(*run, now, rescanned)) {
        used_up.emplace_back(key, *reached);
        return true;
      }
    }
    note_due(run->limits->due);
    return run->limits->due == Time::max();
  });
  return used_up;
}

void Limiter::release(std::unique_ptr<DetachedLimits> limits, Time now) {
  if (!limits || !limits->group) return;
  // To remove one and make another costs more than to use it again.
  const bool useful = makes_groups_ && !limits->limits.any() && !limits->group->was_killed();
  if (useful && ready_.size() < kMaxReadyGroups) {
    ready_.push_back(std::move(limits->group));
  } else {
    leave(std::move(limits->group), now);
  }
}

void Limiter::leave(std::unique_ptr<RunGroup> group, Time now) {
  if (group->remove()) return;
  leaving_.push_back(std::move(group));
  remove_pause_ = kRemovePause;
  note_due(now + kRemovePause);
}

bool Limiter::remove_all() {
  makes_groups_ = false;
  std::move(ready_.begin(), ready_.end(), std::back_inserter(leaving_));
  ready_.clear();
  process_table_.for_each([this](KeeperRun& run) {
    if (run.limits && run.limits->group) leaving_.push_back(std::move(run.limits->group));
  });
  std::erase_if(leaving_, [](const std::unique_ptr<RunGroup>& group) { return group->remove(); });
  return leaving_.empty();
}

}  // namespace gibbous::keeper
