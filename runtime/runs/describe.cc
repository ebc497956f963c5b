// Texts about commands, signals and ends.
#include "runtime/runs/describe.h"

#include <signal.h>

#include <array>
#include <cstdio>

#include "runtime/base/shell_quote.h"
#include "runtime/output/text.h"
#include "runtime/process/signals.h"
#include "runtime/terminal/screen.h"

namespace gibbous {
namespace {

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024.0;
  if (static_cast<double>(bytes) < kStep) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  while (value >= kStep && unit + 1 < kUnits.size()) {
    value /= kStep;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", value, kUnits[unit]);
  return text.data();
}

}  // namespace

std::string quote_argv(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
  return line;
}

std::string describe_exit(const ExitStatus& status) {
  return describe_status(status.code, status.signal, status.core);
}

RunState state_of_exit(const ExitStatus& status) {
  if (status.signal == 0) return status.code == 0 ? RunState::kCompleted : RunState::kFailed;
  constexpr std::array kStopSignals = {SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM};
  for (const int stop : kStopSignals) {
    if (status.signal == stop) return RunState::kKilled;
  }
  return RunState::kFailed;
}

std::string describe_limit(const LimitReached& reached) {
  const auto bytes = [](std::uint64_t value) { return format_bytes(value); };
  const auto seconds = [](std::uint64_t value) {
    return format_seconds(std::chrono::duration_cast<Millis>(std::chrono::microseconds(value)));
  };
  const std::string name = std::string(to_string(reached.kind)) + ": ";
  switch (reached.kind) {
    case LimitKind::kMemory:
      if (reached.used == 0) {
        return reached.limit == 0 ? "killed: out of memory"
                                  : "killed: out of memory (limit " + bytes(reached.limit) + ")";
      }
      return name + bytes(reached.used) + " used, the limit is " + bytes(reached.limit);
    case LimitKind::kOutput:
      return name + bytes(reached.used) + " written, the limit is " + bytes(reached.limit);
    case LimitKind::kFileSize:
      return name + "a file would have become larger than " + bytes(reached.limit);
    case LimitKind::kCpuTime:
      return name + seconds(reached.used) + " used, the limit is " + seconds(reached.limit);
    case LimitKind::kIdle:
      return name + "no output for " + seconds(reached.used) + ", the limit is " +
             seconds(reached.limit);
    case LimitKind::kPids:
      return name + "more than " + std::to_string(reached.limit) +
             " processes and threads at the same time";
    case LimitKind::kCopies:
      return name + bytes(reached.used) + " written to a copy that is thrown away, the limit is " +
             bytes(reached.limit);
  }
  return name;
}

std::string format_seconds(Millis duration) {
  constexpr double kMillisPerSecond = 1000.0;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1fs",
                static_cast<double>(duration.count()) / kMillisPerSecond);
  return text.data();
}

std::string prompt_of(const Run& run) {
  constexpr std::size_t kMaxPromptBytes = 400;
  if (Screen* screen = run.screen(); screen != nullptr) {
    return screen->rows()[static_cast<std::size_t>(screen->cursor().row)].text;
  }
  for (const StreamId id : {StreamId::kStdout, StreamId::kStderr}) {
    const Lines last = run.stream(id).tail(1, kMaxPromptBytes);
    if (!last.bytes.empty() && last.bytes.back() != '\n') return clean(last.bytes);
  }
  return "";
}

}  // namespace gibbous
