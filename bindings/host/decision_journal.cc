// See decision_journal.h.
#include "bindings/host/decision_journal.h"

#include <utility>

#include "bindings/host/decision_record.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMaxWaitingBytes = std::size_t{1} << 20;

}  // namespace

DecisionJournal::DecisionJournal(Recording& recording, const Clock& clock,
                                 std::function<void(const std::string& message)> on_problem)
    : recording_(recording), clock_(clock), on_problem_(std::move(on_problem)) {
  recording_.on_writable([this, alive = std::weak_ptr<const int>(lifetime_)] {
    if (alive.expired()) return;
    blocked_ = false;
    write();
  });
}

void DecisionJournal::add(DecisionRecord decision) {
  write();
  const std::size_t bytes = decision.record_json.size();
  // Nothing waits behind a lost record, so that the gap is in one place.
  if (lost_ > 0 || waiting_bytes_ + bytes > kMaxWaitingBytes) {
    ++lost_;
    report("more than " + std::to_string(kMaxWaitingBytes >> 20) +
           " MiB of them wait to be written");
    return;
  }
  waiting_.push_back(std::move(decision));
  waiting_bytes_ += bytes;
  write();
}

void DecisionJournal::open() {
  if (std::exchange(opening_, true)) return;
  recording_.when_open([this, alive = std::weak_ptr<const int>(lifetime_)](const Status& status) {
    if (alive.expired()) return;
    opening_ = false;
    if (status) return write();
    blocked_ = true;  // until it is open
    report(status.message());
    if (status.code() != "no_journal") return;
    lost_ += waiting_.size();
    waiting_.clear();
    waiting_bytes_ = 0;
  });
}

void DecisionJournal::write() {
  if (blocked_ || (waiting_.empty() && lost_ == 0)) return;
  if (recording_.journal() == nullptr) return open();
  while (!waiting_.empty()) {
    if (!is_settled(waiting_.front())) return;
    waiting_bytes_ -= waiting_.front().record_json.size();
    waiting_.pop_front();
  }
  if (lost_ > 0) {
    if (!is_settled(gap_record(lost_, clock_.wall().count()))) return;
    lost_ = 0;
  }
  reported_ = false;
}

bool DecisionJournal::is_settled(const DecisionRecord& decision) {
  switch (recording_.journal()->add_decision(decision)) {
    case Taken::kYes:
      return true;
    case Taken::kFull:
      blocked_ = true;
      return false;
    case Taken::kNotKept:
      blocked_ = true;
      report(recording_.problem().message());
      return false;
    case Taken::kWrongUse:
      ++lost_;
      report("the journal is closed");
      return true;
  }
  return true;
}

void DecisionJournal::report(const std::string& why) {
  if (!std::exchange(reported_, true)) on_problem_("decisions are not recorded: " + why);
}

}  // namespace gibbous::host
