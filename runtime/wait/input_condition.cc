// The condition that a run waits for input. Output does not show that, so once the run has been
// quiet for a moment, the keeper looks at what its processes are blocked in.
#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/runs/describe.h"
#include "runtime/wait/pending_condition.h"

namespace gibbous {
namespace {

// A program that has just written output or received input is probably still working.
constexpr Millis kSettle{100};
// The longest pause between two looks at a run that is silent and does not wait.
constexpr Millis kLastPause{1'000};

class InputCondition final : public PendingCondition {
 public:
  using PendingCondition::PendingCondition;
  ~InputCondition() override {
    *alive_ = false;
    context_.probes.deadlines.cancel(timer_);
  }

  void begin() override {
    begun_ = context_.probes.clock.now();
    on_run_changed();
  }

  void on_run_changed() override {
    if (run_ == nullptr || settled()) return;
    if (run_->ended()) return give_up();
    if (run_->pid() != 0 && timer_ == 0 && !asking_) look();
  }

  std::string wanted() const override { return "run " + spec_.run + " waited for input"; }

 private:
  void look() {
    const Nanos quiet_since = std::max(begun_, run_->last_output());
    const Nanos left = quiet_since + kSettle - context_.probes.clock.now();
    if (left > Nanos{0}) return look_after(left);
    if (context_.runs.has_more()) return look_after(Millis{1});
    asking_ = true;
    context_.runs.usage(*run_, [this, alive = alive_, seen = run_->last_output()](
                                   Run&, const std::optional<RunUsage>& usage) {
      if (!*alive) return;
      asking_ = false;
      if (run_ == nullptr || settled()) return;
      const pid_t pid = usage ? usage->tree.waiting_pid : 0;
      if (pid != 0 && run_->last_output() == seen) return confirm(pid, seen);
      pause_ = std::min<Millis>(pause_ * 2, kLastPause);
      look_after(pause_);
    });
  }

  // What it wrote before it waited may come with the keeper's answer, and is read in the same turn.
  void confirm(pid_t pid, Nanos seen) {
    timer_ = context_.probes.deadlines.after(Millis{1}, [this, pid, seen] {
      timer_ = 0;
      if (run_ == nullptr || settled() || run_->ended()) return;
      run_->last_output() == seen && !context_.runs.has_more() ? found(pid) : look();
    });
  }

  void found(pid_t pid) {
    Fired fired;
    fired.line = prompt_of(*run_);
    fired.pid = pid;
    fire(std::move(fired));
  }

  void look_after(Nanos delay) {
    timer_ = context_.probes.deadlines.after(delay, [this] {
      timer_ = 0;
      if (run_ != nullptr && !settled() && !run_->ended()) look();
    });
  }

  Nanos begun_{0};
  Millis pause_ = kSettle / 2;
  bool asking_ = false;
  Deadlines::Token timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

Result<std::unique_ptr<PendingCondition>> make_input_condition(const Condition& spec, Run* run,
                                                               ConditionContext& context,
                                                               PendingCondition::Owner& owner) {
  return std::unique_ptr<PendingCondition>(
      std::make_unique<InputCondition>(spec, run, context, owner));
}

}  // namespace gibbous
