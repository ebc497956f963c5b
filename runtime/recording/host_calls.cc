// See host_calls.h.
#include "runtime/recording/host_calls.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "runtime/base/random_id.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/proc.h"
#include "runtime/recording/recording.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxWaiting = 1'000;

}  // namespace

HostCalls::HostCalls(Recording& recording, const Clock& clock, const std::string& workspace)
    : recording_(recording), clock_(clock), workspace_(workspace) {
  if (!recording_.is_enabled()) return;
  const auto self = read_stat(::getpid());
  process_.pid = ::getpid();
  process_.pid_started = self ? static_cast<std::int64_t>(self->start_time) : 0;
  process_.pid_space = pid_space();
  recording_.on_writable([this, alive = std::weak_ptr<const int>(lifetime_)] {
    if (alive.expired()) return;
    blocked_ = false;
    write();
  });
}

HostCalls::~HostCalls() = default;

std::string HostCalls::begin(const std::string& tool, const std::string& session) {
  if (!recording_.is_enabled()) return "";
  HostCallRecord call = process_;
  call.call_id = random_id();
  call.session_id = session;
  call.workspace = workspace_;
  call.tool = tool;
  call.started_at = clock_.wall().count();
  const std::string id = call.call_id;
  going_[id] = call;
  add(std::move(call));
  return id;
}

void HostCalls::end(const std::string& id, const std::string& outcome) {
  const auto going = going_.find(id);
  if (going == going_.end()) return;
  HostCallRecord call = std::move(going->second);
  going_.erase(going);
  call.finished_at = clock_.wall().count();
  call.outcome = outcome;
  add(std::move(call));
}

// A call that has ended already is written once.
void HostCalls::add(HostCallRecord call) {
  for (HostCallRecord& waiting : waiting_) {
    if (waiting.call_id != call.call_id) continue;
    waiting = std::move(call);
    return write();
  }
  if (waiting_.size() >= kMaxWaiting) drop_one();
  waiting_.push_back(std::move(call));
  write();
}

// Rather a beginning than an end: without it, a recorded call would seem to go on.
void HostCalls::drop_one() {
  const auto begun = std::find_if(waiting_.begin(), waiting_.end(),
                                  [](const HostCallRecord& each) { return each.finished_at == 0; });
  waiting_.erase(begun == waiting_.end() ? waiting_.begin() : begun);
}

void HostCalls::open() {
  if (std::exchange(opening_, true)) return;
  recording_.when_open([this, alive = std::weak_ptr<const int>(lifetime_)](const Status& status) {
    if (alive.expired()) return;
    opening_ = false;
    if (status) return write();
    blocked_ = recording_.journal() == nullptr;  // until it is open
    if (status.code() == "no_journal") waiting_.clear();
  });
}

void HostCalls::write() {
  if (blocked_ || waiting_.empty()) return;
  Journal* journal = recording_.journal();
  if (journal == nullptr) return open();
  while (!waiting_.empty()) {
    const Taken taken = journal->put_call(waiting_.front());
    blocked_ = taken == Taken::kFull || taken == Taken::kNotKept;
    if (blocked_) return;
    waiting_.pop_front();
  }
}

}  // namespace gibbous
