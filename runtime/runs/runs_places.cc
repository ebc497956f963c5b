// The places of runs: each owner may have max_concurrent that go on at the same time.
#include <string>
#include <string_view>

#include "runtime/base/cut_line.h"
#include "runtime/output/text.h"
#include "runtime/runs/runs_entry.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxNamedRuns = 8;
constexpr std::size_t kMaxNameBytes = 40;

std::string short_name(const Run& run) {
  const std::string& label = run.spec().label;
  std::string_view name = label.empty() ? run.command_text() : label;
  name = name.substr(0, name.find('\n'));
  return cut_line(to_utf8(name), kMaxNameBytes);
}

}  // namespace

const std::string& owner_of(const RunSpec& spec) {
  return spec.client.empty() ? spec.session : spec.client;
}

void Runs::take_place(const Entry& entry) {
  if (!needs_place(entry.run.spec_)) return;
  ++active_;
  ++places_[owner_of(entry.run.spec_)];
}

void Runs::leave_place(const Entry& entry) {
  if (!needs_place(entry.run.spec_)) return;
  --active_;
  const auto place = places_.find(owner_of(entry.run.spec_));
  if (--place->second == 0) places_.erase(place);
}

bool Runs::is_full(const std::string& owner) const {
  return active_of(owner) >= options_.limits.max_concurrent;
}

Status Runs::too_many_runs(const std::string& owner) const {
  std::string message = "Max concurrent processes (" +
                        std::to_string(options_.limits.max_concurrent) +
                        ") reached. Kill a process first.";
  std::size_t named = 0;
  for (const auto& entry : entries_) {
    const Run& run = entry->run;
    const bool has_place = run.state_ == RunState::kStarting || run.state_ == RunState::kRunning;
    if (!has_place || !needs_place(run.spec_) || owner_of(run.spec_) != owner) continue;
    if (++named > kMaxNamedRuns) continue;
    message += (named == 1 ? " These run: " : ", ") + run.id_ + " (" + short_name(run) + ")";
  }
  if (named > kMaxNamedRuns) message += ", and " + std::to_string(named - kMaxNamedRuns) + " more";
  return Status::error("too_many_runs", message + (named > 0 ? "." : ""));
}

std::size_t Runs::active_of(const std::string& owner) const {
  const auto place = places_.find(owner);
  return place == places_.end() ? 0 : place->second;
}

}  // namespace gibbous
