// The condition `screen`: a row that a terminal shows matches, or none does any more. It is checked
// when something was written, at most every kScreenPause.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/terminal/screen.h"
#include "runtime/wait/line_pattern.h"
#include "runtime/wait/pending_condition.h"

namespace gibbous {
namespace {

constexpr Millis kScreenPause{20};

class ScreenCondition final : public PendingCondition {
 public:
  ScreenCondition(const Condition& spec, Run* run, ConditionContext& context, Owner& owner,
                  std::shared_ptr<LinePattern> pattern)
      : PendingCondition(spec, run, context, owner), pattern_(std::move(pattern)) {}
  ~ScreenCondition() override { context_.probes.deadlines.cancel(pause_); }

  void begin() override { on_run_changed(); }

  void on_output(StreamId) override {
    if (run_ == nullptr || settled() || pause_ != 0) return;
    look();
    if (settled()) return;
    pause_ = context_.probes.deadlines.after(kScreenPause, [this] {
      pause_ = 0;
      if (run_ != nullptr && !settled()) look();
    });
  }

  void on_run_changed() override {
    if (run_ == nullptr || settled()) return;
    look();
    if (!settled() && run_->ended() && run_->drained()) give_up();
  }

  std::string wanted() const override {
    return spec_.absent ? "the screen no longer showed " + spec_.pattern
                        : "the screen showed " + spec_.pattern;
  }

 private:
  void look() {
    Screen* screen = run_->screen();
    if (screen == nullptr || screen->version() == looked_at_) return;
    looked_at_ = screen->version();
    const auto shown = find(*screen);
    if (shown.has_value() != spec_.absent) fire(shown.value_or(Fired{}));
  }

  std::optional<Fired> find(Screen& screen) const {
    int number = 0;
    for (const ScreenRow& row : screen.rows()) {
      ++number;
      auto match = pattern_->match(row.text);
      if (!match) continue;
      Fired fired;
      fired.line = row.text;
      fired.captures = std::move(match->captures);
      fired.row = number;
      return fired;
    }
    return std::nullopt;
  }

  const std::shared_ptr<LinePattern> pattern_;
  std::uint64_t looked_at_ = 0;
  Deadlines::Token pause_ = 0;
};

}  // namespace

Result<std::unique_ptr<PendingCondition>> make_screen_condition(const Condition& spec, Run* run,
                                                                ConditionContext& context,
                                                                PendingCondition::Owner& owner) {
  if (!run->spec().terminal) {
    return Status::error(
        "invalid_arguments",
        "run: " + run->id() + " has no terminal: start it with pty = true, or wait for a regex");
  }
  auto pattern = LinePattern::compile(spec.pattern);
  if (!pattern) return wrong_field("pattern", pattern.status());
  return std::unique_ptr<PendingCondition>(
      std::make_unique<ScreenCondition>(spec, run, context, owner, std::move(pattern.value())));
}

}  // namespace gibbous
