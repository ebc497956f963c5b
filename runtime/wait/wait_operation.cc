// Makes one answer from the conditions, and the message of a wait that failed.
#include "runtime/wait/wait_operation.h"

#include <algorithm>
#include <utility>

#include "runtime/runs/describe.h"

namespace gibbous {

WaitOperation::WaitOperation(WaitSpec spec, ConditionContext& context, Owner& owner, OnDone on_done)
    : spec_(std::move(spec)), context_(context), owner_(owner), on_done_(std::move(on_done)) {}

WaitOperation::~WaitOperation() {
  context_.probes.deadlines.cancel(deadline_);
}

Status WaitOperation::prepare() {
  const std::size_t count = spec_.conditions.size();
  if (count == 0 || count > kMaxConditions) {
    return Status::error("invalid_arguments", "conditions: expected 1 to " +
                                                  std::to_string(kMaxConditions) + ", got " +
                                                  std::to_string(count));
  }
  if (spec_.timeout && *spec_.timeout < Millis{0}) {
    return Status::error("invalid_arguments", "timeout_ms: expected at least 0, got " +
                                                  std::to_string(spec_.timeout->count()));
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto made = PendingCondition::create(spec_.conditions[i], context_, *this);
    if (!made) {
      return Status::error(made.status().code(), "condition " + std::to_string(i + 1) + " (" +
                                                     to_string(spec_.conditions[i].kind) +
                                                     "): " + made.status().message());
    }
    conditions_.push_back(std::move(made.value()));
  }
  return {};
}

void WaitOperation::begin() {
  started_ = context_.probes.clock.now();
  // Exits come last, so that a run's last output counts before its end.
  for (const bool exits : {false, true}) {
    for (const auto& condition : conditions_) {
      if (answered_) return;
      if ((condition->kind() == ConditionKind::kExit) == exits) condition->begin();
    }
  }
  if (answered_ || !spec_.timeout) return;
  deadline_ = context_.probes.deadlines.after(*spec_.timeout, [this] { on_deadline(); });
}

void WaitOperation::on_settled(PendingCondition& condition) {
  if (answered_) return;
  if (condition.fired()) {
    Fired fired = condition.take_fired();
    const auto at =
        std::find_if(conditions_.begin(), conditions_.end(),
                     [&condition](const auto& each) { return each.get() == &condition; });
    fired.condition = static_cast<std::size_t>(at - conditions_.begin());
    result_.fired.push_back(std::move(fired));
    if (!spec_.all || result_.fired.size() == conditions_.size()) answer(WaitEnd::kFired);
    return;
  }
  if (result_.run.empty()) {  // the first; its run may be forgotten before the others settle
    result_.run = condition.ended_run();
    if (condition.run() != nullptr) result_.tail = output_tail(*condition.run());
  }
  const bool all_settled = std::all_of(conditions_.begin(), conditions_.end(),
                                       [](const auto& each) { return each->settled(); });
  if (spec_.all || all_settled) answer_impossible();
}

// " (last: status 503)", or "". What was seen goes into the answer, too.
std::string WaitOperation::seen_instead(const PendingCondition& condition) {
  const std::string seen = condition.last_seen();
  const std::string caveat = condition.caveat();
  if (!caveat.empty()) return " (" + caveat + ")";
  if (seen.empty()) return "";
  result_.seen = seen;
  result_.older = condition.kind() == ConditionKind::kRegex;
  return " (last: " + seen + ")";
}

void WaitOperation::answer_impossible() {
  // "run A ended (exit code 1) before port 3000 was listening or a line matched ...; run B ..."
  std::vector<std::string> runs_said;
  for (const auto& condition : conditions_) {
    if (!condition->obstacle().empty()) {
      if (!result_.message.empty()) result_.message += "; ";
      result_.message += condition->obstacle();
      result_.obstacle = condition->obstacle();
    }
    if (condition->why().empty() ||
        std::find(runs_said.begin(), runs_said.end(), condition->why()) != runs_said.end()) {
      continue;
    }
    runs_said.push_back(condition->why());
    if (!result_.message.empty()) result_.message += "; ";
    result_.message += condition->why() + " before ";
    std::string separator;
    for (const auto& other : conditions_) {
      if (other->why() != condition->why()) continue;
      result_.message += separator + other->wanted();
      result_.message += seen_instead(*other);
      separator = " or ";
    }
  }
  answer(WaitEnd::kImpossible);
}

void WaitOperation::on_deadline() {
  deadline_ = 0;
  if (answered_) return;
  result_.message = "timed out after " + format_seconds(*spec_.timeout) + " before ";
  std::string separator;
  for (const auto& condition : conditions_) {
    if (condition->fired()) continue;
    result_.message += separator + condition->wanted();
    result_.message += seen_instead(*condition);
    separator = spec_.all ? " and " : " or ";
    if (result_.run.empty() && condition->run() != nullptr) {
      result_.run = condition->run()->id();
      result_.tail = output_tail(*condition->run());
    }
  }
  answer(WaitEnd::kTimeout);
}

void WaitOperation::answer(WaitEnd end) {
  answered_ = true;
  result_.end = end;
  if (end == WaitEnd::kFired) {
    result_.run.clear();
    result_.tail.clear();
  }
  result_.elapsed = std::chrono::duration_cast<Millis>(context_.probes.clock.now() - started_);
  context_.probes.deadlines.cancel(deadline_);
  owner_.on_answered(*this);
}

void WaitOperation::stop() {
  answered_ = true;
  on_done_ = nullptr;
  conditions_.clear();
  context_.probes.deadlines.cancel(deadline_);
}

void WaitOperation::deliver() {
  conditions_.clear();  // stops the probes that still run
  if (const auto on_done = std::exchange(on_done_, nullptr)) on_done(std::move(result_));
}

}  // namespace gibbous
