// Follow: the loop of a sub-command with --follow: it writes what is new, rests, and ends on a
// signal or when the reader of stdout has gone. Create it before anything is printed. Main thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/inspect/journal_watch.h"
#include "bindings/stdio/program_signals.h"
#include "gibbous/status.h"

namespace gibbous::cli {

// The interval between two reads of a journal whose changes are not reported.
inline constexpr std::chrono::milliseconds kNewsInterval{50};

class Follow {
 public:
  static Result<Follow> create();
  // From now on, rest() ends when a process writes to the journal in this state directory, soon
  // after that for a while, and seldom otherwise.
  void watch_journal(const std::string& directory);

  // Writes all of it to stdout. False when the reader has gone or a signal came.
  bool write(std::string_view bytes);
  // Waits until there may be news. False when the reader has gone or a signal came.
  bool rest();
  // Waits for this time.
  bool rest(std::chrono::milliseconds time);
  // Returns true at first, and then every two seconds: time to look whether a host is gone.
  bool is_time_to_look();

 private:
  explicit Follow(std::unique_ptr<stdio::ProgramSignals> signals) : signals_(std::move(signals)) {}
  std::unique_ptr<stdio::ProgramSignals> signals_;
  std::optional<inspect::JournalWatch> watch_;
  std::chrono::milliseconds pause_ = kNewsInterval;  // while nothing is reported
  std::optional<std::chrono::steady_clock::time_point> looked_;
};

}  // namespace gibbous::cli
