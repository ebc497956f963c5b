// Common to all kinds of conditions: they find their run and settle once.
#include "runtime/wait/pending_condition.h"

#include <utility>

#include "runtime/base/nearest.h"
#include "runtime/output/text.h"

namespace gibbous {
namespace {

// The keeper reports the processes left behind a little later than the exit: it looks for them
// after it, and not too often.
constexpr Millis kLeftBehindSettle{100};

}  // namespace

const char* to_string(ConditionKind kind) {
  switch (kind) {
    case ConditionKind::kExit:
      return "exit";
    case ConditionKind::kStart:
      return "start";
    case ConditionKind::kReady:
      return "ready";
    case ConditionKind::kPort:
      return "port";
    case ConditionKind::kRegex:
      return "regex";
    case ConditionKind::kScreen:
      return "screen";
    case ConditionKind::kHttp:
      return "http";
    case ConditionKind::kQuiet:
      return "quiet";
    case ConditionKind::kInput:
      return "input";
    case ConditionKind::kFile:
      return "file";
    case ConditionKind::kLog:
      return "log";
    case ConditionKind::kTimer:
      return "timer";
  }
  return "unknown";
}

PendingCondition::PendingCondition(const Condition& spec, Run* run, ConditionContext& context,
                                   Owner& owner)
    : spec_(spec), run_(run), context_(context), owner_(owner) {}

PendingCondition::~PendingCondition() = default;

Result<std::unique_ptr<PendingCondition>> PendingCondition::create(const Condition& spec,
                                                                   ConditionContext& context,
                                                                   Owner& owner) {
  Run* run = nullptr;
  if (!spec.run.empty()) {
    run = context.runs.find(spec.run);
    if (run == nullptr) {
      return Status::error("run_not_found", "no run with the id \"" + to_utf8(spec.run) + "\"" +
                                                did_you_mean(context.runs.nearest(spec.run), '"'));
    }
  }
  switch (spec.kind) {
    case ConditionKind::kExit:
    case ConditionKind::kStart:
    case ConditionKind::kReady:
    case ConditionKind::kRegex:
    case ConditionKind::kScreen:
    case ConditionKind::kQuiet:
    case ConditionKind::kInput:
    case ConditionKind::kLog:
      if (run == nullptr) {
        return Status::error("invalid_arguments", "run: expected the id of a run, got \"\"");
      }
      if (spec.kind == ConditionKind::kScreen) {
        return make_screen_condition(spec, run, context, owner);
      }
      if (spec.kind == ConditionKind::kInput) {
        return make_input_condition(spec, run, context, owner);
      }
      return make_run_condition(spec, run, context, owner);
    case ConditionKind::kPort:
    case ConditionKind::kHttp:
    case ConditionKind::kFile:
    case ConditionKind::kTimer:
      break;
  }
  return make_probe_condition(spec, run, context, owner);
}

void PendingCondition::fire(Fired fired) {
  if (settled()) return;
  fired.run = spec_.run;
  fired_ = std::move(fired);
  owner_.on_settled(*this);
}

void PendingCondition::give_up() {
  if (run_ == nullptr || !run_->ended()) return give_up("was forgotten");
  const std::string& reason = run_->reason();
  const std::string again = run_->next().empty() ? "" : ", and is started again as " + run_->next();
  const auto& exit = run_->exit_status();
  const bool good =
      run_->state() == RunState::kCompleted && exit && exit->signal == 0 && exit->code == 0;
  give_up((good ? "exited with 0" : "ended" + (reason.empty() ? "" : " (" + reason + ")")) + again);
}

void PendingCondition::give_up(const std::string& what_it_did) {
  if (settled()) return;
  impossible_ = true;
  ended_run_ = spec_.run;
  why_ = "run " + spec_.run + " " + what_it_did;
  owner_.on_settled(*this);
}

void PendingCondition::meet(std::string obstacle) {
  if (settled()) return;
  impossible_ = true;
  ended_run_ = spec_.run;
  obstacle_ = std::move(obstacle);
  owner_.on_settled(*this);
}

void PendingCondition::on_run_forgotten() {
  give_up();
  run_ = nullptr;
}

LivingCondition::~LivingCondition() {
  context_.probes.deadlines.cancel(over_);
}

void LivingCondition::on_run_changed() {
  if (over_ != 0 || settled() || !run_is_over()) return;
  over_ = context_.probes.deadlines.after(kLeftBehindSettle, [this] {
    over_ = 0;
    if (!settled() && run_is_over()) last_look();
  });
}

bool LivingCondition::run_is_over() const {
  return run_ != nullptr && run_->ended() && run_->drained() && run_->left_behind() == 0;
}

}  // namespace gibbous
