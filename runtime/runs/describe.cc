// Words for commands, signals and ends.
#include "runtime/runs/describe.h"

#include <signal.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "runtime/process/signals.h"

namespace gibbous {
namespace {

bool is_plain(const std::string& word) {
  if (word.empty()) return false;
  for (const char character : word) {
    const bool plain = std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                       std::strchr("_-./:=@%+,", character) != nullptr;
    if (!plain) return false;
  }
  return true;
}

std::string quote(const std::string& word) {
  if (is_plain(word)) return word;
  std::string quoted = "'";
  for (const char character : word) {
    if (character == '\'') {
      quoted += "'\\''";
    } else {
      quoted += character;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string quote_argv(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    line += quote(word);
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

std::string format_seconds(Millis duration) {
  constexpr double kMillisPerSecond = 1000.0;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1fs",
                static_cast<double>(duration.count()) / kMillisPerSecond);
  return text.data();
}

}  // namespace gibbous
