// Texts and figures of a run.
#include "runtime/runs/run.h"

#include <csignal>

#include "runtime/terminal/screen.h"

namespace gibbous {

const char* to_string(RunState state) {
  switch (state) {
    case RunState::kQueued:
      return "queued";
    case RunState::kStarting:
      return "starting";
    case RunState::kRunning:
      return "running";
    case RunState::kCompleted:
      return "completed";
    case RunState::kFailed:
      return "failed";
    case RunState::kKilled:
      return "killed";
    case RunState::kTimeout:
      return "timeout";
    case RunState::kLost:
      return "lost";
  }
  return "unknown";
}

bool has_ended(RunState state) {
  return state >= RunState::kCompleted;
}

const char* to_string(Readiness readiness) {
  switch (readiness) {
    case Readiness::kUnasked:
      return "unasked";
    case Readiness::kPending:
      return "pending";
    case Readiness::kReady:
      return "ready";
    case Readiness::kFailed:
      return "failed";
  }
  return "unknown";
}

const char* to_string(StreamId stream) {
  return stream == StreamId::kStdout ? "stdout" : "stderr";
}

Run::Run() = default;
Run::~Run() = default;

Standing standing_of(const Run& run) {
  if (run.ended() && run.state() != RunState::kCompleted) return Standing::kNever;
  switch (run.readiness()) {
    case Readiness::kReady:
      return Standing::kReady;
    case Readiness::kFailed:
      return Standing::kNever;
    case Readiness::kPending:
      return Standing::kPending;
    case Readiness::kUnasked:
      break;
  }
  return run.ended() || run.state() == RunState::kRunning ? Standing::kReady : Standing::kPending;
}

int stop_signal(const RunSpec& spec) {
  return spec.terminal ? SIGHUP : SIGTERM;
}

Millis Run::time_limit() const {
  const Millis asked = spec_.timeout.value_or(Millis{0});
  const Millis most = spec_.limits.wall_time;
  return most.count() == 0 || (asked.count() != 0 && asked < most) ? asked : most;
}

Millis Run::runtime(const Clock& clock) const {
  if (started_.count() == 0) return Millis{0};
  const Nanos until = ended() ? ended_ : clock.now();
  return std::chrono::duration_cast<Millis>(until - started_);
}

double Run::output_rate(const Clock& clock) const {
  return started_.count() == 0 || ended() ? 0 : output_rate_.get(clock.now());
}

std::optional<TerminalSize> Run::terminal_size() const {
  return screen_ ? std::optional(screen_->size()) : std::nullopt;
}

}  // namespace gibbous
