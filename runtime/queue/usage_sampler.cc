#include "runtime/queue/usage_sampler.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace gibbous {
namespace {

// The interval of a run that works: its age divided by this, within these bounds.
constexpr int kSamplesInALife = 20;
constexpr Nanos kFirst{200'000'000};
constexpr Nanos kShortest{1'000'000'000};
constexpr Nanos kLongest{60'000'000'000};
// A run that does nothing is measured half as often each time, down to this.
constexpr Nanos kLongestIdle{60'000'000'000};

// More than these wait for the next turn of the loop.
constexpr std::size_t kMostAtOnce = 32;

// Less than this is what a program uses to wait.
constexpr std::chrono::milliseconds kIdleCpu{20};

bool is_idle(const TreeUsage& before, const TreeUsage& now) {
  constexpr std::uint64_t kPart = 16;
  const std::uint64_t grown =
      std::max(before.rss_bytes, now.rss_bytes) - std::min(before.rss_bytes, now.rss_bytes);
  return now.cpu - before.cpu < kIdleCpu && now.processes == before.processes &&
         grown <= before.rss_bytes / kPart;
}

}  // namespace

UsageSampler::UsageSampler(const Clock& clock, Runs& runs,
                           std::function<void(const Run&, const TreeUsage&)> on_sample)
    : clock_(clock), runs_(runs), on_sample_(std::move(on_sample)) {}

void UsageSampler::add(const std::string& run_id) {
  const Sampled& added = sampled_[run_id] = {clock_.now() + kFirst, kShortest, {}};
  due_ = std::min(due_, added.due);
}

void UsageSampler::sample() {
  const Nanos now = clock_.now();
  if (due_ > now) return;
  due_ = Nanos::max();
  std::vector<std::string> ids;
  for (auto& [id, sampled] : sampled_) {
    if (ids.size() < kMostAtOnce && sampled.due - sampled.interval / 2 <= now) {
      ids.push_back(id);
      sampled.due = now + sampled.interval;
    }
    due_ = std::min(due_, sampled.due);
  }
  for (const std::string& id : ids) {
    Run* run = runs_.find(id);
    if (run == nullptr || run->ended()) continue;
    runs_.usage(*run, [this](Run& of, const std::optional<RunUsage>& usage) {
      if (usage) take(of, usage->tree);
    });
  }
}

void UsageSampler::take(const Run& run, const TreeUsage& usage) {
  if (const auto found = sampled_.find(run.id()); found != sampled_.end()) {
    Sampled& sampled = found->second;
    const bool first = sampled.last.processes == 0;
    if (!first && is_idle(sampled.last, usage)) {
      sampled.interval = std::max(sampled.interval, std::min(2 * sampled.interval, kLongestIdle));
    } else {
      sampled.interval =
          std::clamp<Nanos>(run.runtime(clock_) / kSamplesInALife, kShortest, kLongest);
    }
    sampled.due = clock_.now() + sampled.interval;
    due_ = std::min(due_, sampled.due);
    sampled.last = usage;
  }
  on_sample_(run, usage);
}

}  // namespace gibbous
