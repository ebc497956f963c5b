// Conditions that watch only a run: exit, start, ready, regex, quiet. They cost nothing until the
// run does something.
//
// A regex becomes impossible when the run and its streams have ended, or nothing of its tree is
// left that could write; the last output is searched before the exit fires. Quiet does not count
// before the run has started or while output waits to be read, and becomes impossible when nothing
// of the run lives. A forgotten run counts as ended.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/cut_line.h"
#include "runtime/output/file_sink.h"
#include "runtime/output/text.h"
#include "runtime/runs/describe.h"
#include "runtime/wait/line_scanner.h"
#include "runtime/wait/pending_condition.h"

namespace gibbous {
namespace {

// A last line without '\n' is matched after this much silence (then it is a prompt, not an
// incomplete line), and at the latest after kPartialPatience (a progress line that never pauses).
constexpr Millis kPartialSettle{100};
constexpr Millis kPartialPatience{400};
// When the quiet time is over, look once more after the loop has read what came meanwhile.
constexpr Millis kQuietConfirm{1};

std::string clipped(std::string text) {
  if (text.size() <= kMaxReportedLineBytes) return text;
  text.resize(kMaxReportedLineBytes);
  text.resize(text.size() - incomplete_utf8_tail(text));
  return text;
}

class ExitCondition final : public PendingCondition {
 public:
  using PendingCondition::PendingCondition;
  void begin() override { on_run_changed(); }
  void on_run_changed() override {
    if (run_ != nullptr && run_->ended()) fire();
  }
  std::string wanted() const override { return "run " + spec_.run + " ended"; }
};

class StartCondition final : public PendingCondition {
 public:
  using PendingCondition::PendingCondition;
  void begin() override { on_run_changed(); }
  void on_run_changed() override {
    if (run_ == nullptr || settled()) return;
    if (run_->pid() != 0) return fire();
    if (run_->ended()) give_up();
  }
  std::string wanted() const override { return "run " + spec_.run + " started"; }
};

// A log that cannot be written counts as done: Run::logs() says why.
class LogCondition final : public PendingCondition {
 public:
  using PendingCondition::PendingCondition;
  void begin() override { on_run_changed(); }
  void on_run_changed() override {
    if (run_ == nullptr || settled()) return;
    if (spec_.written && !run_->ended()) return;
    const auto is_done = [this](const FileSink* log) {
      const FileSinkStatus& status = log->status();
      return !status.error.empty() || (spec_.written ? log->caught_up() : status.files > 0);
    };
    if (std::all_of(run_->logs().begin(), run_->logs().end(), is_done)) fire();
  }
  std::string wanted() const override {
    return "the log of run " + spec_.run + (spec_.written ? " was written" : " was open");
  }
};

class ReadyCondition final : public PendingCondition {
 public:
  using PendingCondition::PendingCondition;
  void begin() override { on_run_changed(); }
  void on_run_changed() override {
    if (run_ == nullptr || settled()) return;
    switch (standing_of(*run_)) {
      case Standing::kReady:
        return fire();
      case Standing::kNever:
        if (run_->ended()) return give_up();
        return give_up("is not ready (" + run_->readiness_note() + ")");
      case Standing::kPending:
        return;
    }
  }
  std::string wanted() const override { return "run " + spec_.run + " was ready"; }
};

class RegexCondition final : public PendingCondition {
 public:
  RegexCondition(const Condition& spec, Run* run, ConditionContext& context, Owner& owner,
                 std::shared_ptr<LinePattern> pattern)
      : PendingCondition(spec, run, context, owner), pattern_(std::move(pattern)) {
    // An offset belongs to one stream: stdout unless another is named.
    const std::optional<StreamId> watched =
        spec.since && !spec.stream ? StreamId::kStdout : spec.stream;
    for (const StreamId id : {StreamId::kStdout, StreamId::kStderr}) {
      if (watched && *watched != id) continue;
      scans_.push_back({id, LineScanner(pattern_, behind(id))});
    }
  }
  ~RegexCondition() override { context_.probes.deadlines.cancel(settle_); }

  void begin() override {
    if (!spec_.behind || !report_newest()) on_run_changed();
  }

  void on_output(StreamId stream) override {
    if (run_ == nullptr || settled()) return;
    for (Scan& scan : scans_) {
      if (scan.id != stream) continue;
      if (report(scan.id, scan.scanner.next(run_->stream(stream)))) return;
    }
    watch_partial_lines();
  }

  void on_run_changed() override {
    if (run_ == nullptr || settled()) return;
    for (Scan& scan : scans_) {
      if (report(scan.id, scan.scanner.next(run_->stream(scan.id)))) return;
    }
    watch_partial_lines();
    if (!settled() && nothing_can_come()) give_up();
  }

  std::string wanted() const override {
    return "a line" + (spec_.stream ? std::string(" of ") + to_string(*spec_.stream) : "") +
           " matched \"" + to_utf8(spec_.pattern) + "\"";
  }

  std::string last_seen() const override {
    const auto older = spec_.behind && run_ != nullptr ? newest(false) : std::nullopt;
    return older ? "\"" + clipped(older->hit.match.line) + "\", " + format_seconds(older->age) +
                       " ago"
                 : "";
  }

  std::string caveat() const override {
    Offset lost = 0;
    std::uint64_t long_lines = 0;
    for (const Scan& scan : scans_) {
      lost += scan.scanner.lost();
      long_lines += scan.scanner.long_lines();
    }
    if (lost > 0) {
      return std::to_string(lost) +
             " bytes of its output were dropped before they could be searched";
    }
    if (long_lines == 0) return "";
    return "only the first 64 KiB of longer lines were searched: " + std::to_string(long_lines);
  }

 private:
  struct Scan {
    StreamId id;
    LineScanner scanner;
  };

  struct Newest {
    StreamId id;
    LineScanner::Hit hit;
    Millis age;
  };

  Offset behind(StreamId id) const {
    return spec_.behind ? (*spec_.behind)[static_cast<std::size_t>(id)] : spec_.since.value_or(0);
  }

  // Returns the newest line that matches, of those that count or of all.
  std::optional<Newest> newest(bool counting) const {
    std::optional<Newest> newest;
    for (const Scan& scan : scans_) {
      auto hit = newest_match(pattern_, run_->stream(scan.id), counting ? behind(scan.id) : 0);
      if (!hit) continue;
      const auto age = std::chrono::duration_cast<Millis>(
          run_->age(scan.id, hit->cursor, context_.probes.clock));
      if (!newest || age < newest->age) newest = {scan.id, std::move(*hit), age};
    }
    return newest;
  }

  bool report_newest() {
    auto found = newest(true);
    return found && report(found->id, std::move(found->hit), found->age);
  }

  bool report(StreamId id, std::optional<LineScanner::Hit> hit,
              std::optional<Millis> age = std::nullopt) {
    if (!hit) return false;
    Fired fired;
    fired.age = age;
    std::size_t at = 0;
    fired.line = cut_line(hit->match.line, kMaxReportedLineBytes, hit->match.place, &at);
    fired.column = at + 1;
    for (std::string& capture : hit->match.captures) {
      fired.captures.push_back(clipped(std::move(capture)));
    }
    fired.stream = id;
    fired.cursor = hit->cursor;
    fire(std::move(fired));
    return true;
  }

  bool judge_partial_lines(bool all) {
    for (Scan& scan : scans_) {
      const Stream& stream = run_->stream(scan.id);
      if (!all && !stream.ended()) continue;
      if (report(scan.id, scan.scanner.next_partial(stream))) return true;
    }
    return false;
  }

  // All whole lines have been searched.
  void watch_partial_lines() {
    if (judge_partial_lines(run_->ended())) return;
    const bool waiting = std::any_of(scans_.begin(), scans_.end(), [this](const Scan& scan) {
      return scan.scanner.has_partial(run_->stream(scan.id));
    });
    if (!waiting) {
      context_.probes.deadlines.cancel(settle_);
    } else if (settle_ == 0) {
      partial_since_ = context_.probes.clock.now();
      settle_after(kPartialSettle);
    }
  }

  void settle_after(Nanos delay) {
    settle_ = context_.probes.deadlines.after(delay, [this] {
      settle_ = 0;
      if (run_ == nullptr || settled()) return;
      const Nanos now = context_.probes.clock.now();
      const Nanos silent = now - run_->last_output();
      const Nanos patience = partial_since_ + kPartialPatience - now;
      if (silent < kPartialSettle && patience > Nanos{0}) {
        settle_after(std::min<Nanos>(kPartialSettle - silent, patience));
      } else {
        judge_partial_lines(true);
      }
    });
  }

  bool nothing_can_come() const {
    if (!run_->ended() || !run_->drained()) return false;
    if (run_->left_behind() == 0) return true;
    return std::all_of(scans_.begin(), scans_.end(),
                       [this](const Scan& scan) { return run_->stream(scan.id).ended(); });
  }

  const std::shared_ptr<LinePattern> pattern_;
  std::vector<Scan> scans_;
  Deadlines::Token settle_ = 0;
  Nanos partial_since_{0};  // while settle_ is set
};

// Says nothing about a run of which nothing lives any more.
class QuietCondition final : public LivingCondition {
 public:
  using LivingCondition::LivingCondition;
  ~QuietCondition() override { context_.probes.deadlines.cancel(timer_); }

  void begin() override { on_run_changed(); }

  void on_run_changed() override {
    if (run_ == nullptr || settled()) return;
    LivingCondition::on_run_changed();
    const bool started = run_->pid() != 0;  // before that it can have no output
    if (started && timer_ == 0) look(false);
  }

  std::string wanted() const override {
    return "run " + spec_.run + " was quiet for " + format_seconds(spec_.duration);
  }

 private:
  void last_look() override { give_up(); }

  void look(bool confirmed) {
    const Nanos left = run_->last_output() + spec_.duration - context_.probes.clock.now();
    if (left > Nanos{0}) return look_after(left, false);
    // Unread output breaks the quiet too; the loop may have been busy, or reading is rationed.
    if (!confirmed || context_.runs.has_more()) return look_after(kQuietConfirm, true);
    if (!run_->ended() || run_->left_behind() > 0) fire();
  }

  void look_after(Nanos delay, bool confirmed) {
    timer_ = context_.probes.deadlines.after(delay, [this, confirmed] {
      timer_ = 0;
      if (run_ != nullptr && !settled()) look(confirmed);
    });
  }

  Deadlines::Token timer_ = 0;
};

}  // namespace

Result<std::unique_ptr<PendingCondition>> make_run_condition(const Condition& spec, Run* run,
                                                             ConditionContext& context,
                                                             PendingCondition::Owner& owner) {
  using Made = std::unique_ptr<PendingCondition>;
  if (spec.kind == ConditionKind::kExit) {
    return Made(std::make_unique<ExitCondition>(spec, run, context, owner));
  }
  if (spec.kind == ConditionKind::kStart) {
    return Made(std::make_unique<StartCondition>(spec, run, context, owner));
  }
  if (spec.kind == ConditionKind::kLog) {
    return Made(std::make_unique<LogCondition>(spec, run, context, owner));
  }
  if (spec.kind == ConditionKind::kReady) {
    return Made(std::make_unique<ReadyCondition>(spec, run, context, owner));
  }
  if (spec.kind == ConditionKind::kQuiet) {
    if (spec.duration <= Millis{0}) {
      return Status::error("invalid_arguments", "ms: expected a quiet time of at least 1 ms, got " +
                                                    std::to_string(spec.duration.count()));
    }
    return Made(std::make_unique<QuietCondition>(spec, run, context, owner));
  }
  auto pattern = LinePattern::compile(spec.pattern);
  if (!pattern) return wrong_field("pattern", pattern.status());
  return Made(
      std::make_unique<RegexCondition>(spec, run, context, owner, std::move(pattern.value())));
}

}  // namespace gibbous
