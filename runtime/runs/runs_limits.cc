// The limits of runs: those of this process (time, silence, output), and what a limit's end means.
// The keeper enforces the others and reports them.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "runtime/process/signals.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/runs_entry.h"

namespace gibbous {

void Runs::time_out(Entry& entry) {
  entry.timeout = 0;
  // A run that is already being ended keeps that reason.
  if (entry.run.ended() || entry.exit || entry.verdict != RunState::kRunning) return;
  entry.verdict = RunState::kTimeout;
  entry.verdict_reason = "timed out after " + format_seconds(entry.run.time_limit());
  entry.kill_waiters.emplace_back();
  const int asked = entry.run.spec_.timeout_signal;
  kill_processes(entry, asked != 0 ? asked : stop_signal(entry.run.spec_),
                 options_.limits.timeout_grace);
}

void Runs::watch_time(Entry& entry) {
  deadlines_->cancel(entry.timeout);
  const Millis limit = entry.run.time_limit();
  if (limit.count() == 0 || entry.exit || entry.run.ended()) return;
  const Nanos left = entry.run.started_ + limit - clock_.now();
  entry.timeout =
      deadlines_->after(std::max<Nanos>(left, Millis{1}), [this, &entry] { time_out(entry); });
}

void Runs::detach(Run& run) {
  if (!std::exchange(run.limited_by_call_, false)) return;
  run.spec_.timeout = Millis{0};
  if (run.pid_ != 0) watch_time(entry_of(run));
}

void Runs::watch_idle(Entry& entry) {
  const Millis limit = entry.run.spec_.limits.idle_time;
  if (limit.count() == 0 || entry.exit || entry.run.ended()) return;
  const Nanos silent = clock_.now() - entry.run.last_output_;
  if (silent >= limit) {
    const auto micros = [](Nanos span) {
      return static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(span).count());
    };
    note_silent_writers(entry);
    end_by_limit(entry, {LimitKind::kIdle, micros(limit), micros(silent)});
    return;
  }
  // Checked when the limit could be over, not with every byte.
  const auto rest = std::chrono::ceil<Millis>(limit - silent);
  entry.idle = deadlines_->after(rest, [this, &entry] {
    entry.idle = 0;
    watch_idle(entry);
  });
}

void Runs::watch_left_behind(Entry& entry) {
  const Millis limit = entry.run.spec_.limits.left_behind;
  if (limit.count() == 0 || entry.fake || entry.run.pid_ == 0) return;
  if (entry.run.state_ == RunState::kLost) return;
  entry.left = deadlines_->after(limit, [this, &entry] {
    entry.left = 0;
    if (entry.run.left_behind_ == 0) return;
    entry.kill_waiters.emplace_back();
    kill_processes(entry, stop_signal(entry.run.spec_), options_.limits.kill_grace);
  });
}

// Why it was silent can be seen only while its processes live.
void Runs::note_silent_writers(Entry& entry) {
  Run& run = entry.run;
  if (entry.verdict != RunState::kRunning || run.spec_.terminal) return;
  run.silent_writers_ = read_output_writers(run.pid_);
}

void Runs::count_output(Entry& entry, std::uint64_t bytes) {
  Run& run = entry.run;
  run.output_rate_.add(bytes, run.last_output_);
  const std::uint64_t limit = run.spec_.limits.output_bytes;
  const std::uint64_t written = run.streams_[0].end() + run.streams_[1].end();
  if (limit != 0 && written > limit && !entry.exit) {
    end_by_limit(entry, {LimitKind::kOutput, limit, written});
  }
}

void Runs::end_by_limit(Entry& entry, LimitReached reached) {
  if (entry.verdict != RunState::kRunning) return;  // it is ending already
  note_limit(entry, reached);
  entry.kill_waiters.emplace_back();
  kill_processes(entry, stop_signal(entry.run.spec_), options_.limits.timeout_grace);
}

void Runs::note_limit(Entry& entry, LimitReached reached) {
  // A run that is already being ended keeps that reason.
  if (entry.run.ended() || entry.verdict != RunState::kRunning) return;
  entry.run.limit_reached_ = reached;
  entry.verdict = RunState::kKilled;
  entry.verdict_reason = describe_limit(reached);
}

void Runs::on_limit(RunKey key, LimitReached reached) {
  if (Entry* entry = entry_of(key)) note_limit(*entry, reached);
}

}  // namespace gibbous
