// Follow: the loop of a sub-command with --follow: it writes what is new, rests, and ends on a
// signal or when the reader of stdout has gone. Create it before anything is printed. Main thread.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "bindings/stdio/program_signals.h"
#include "gibbous/status.h"

namespace gibbous::cli {

// The interval between two reads of the journal.
inline constexpr std::chrono::milliseconds kNewsInterval{50};

class Follow {
 public:
  static Result<Follow> create();

  // Writes all of it to stdout. False when the reader has gone or a signal came.
  bool write(std::string_view bytes);
  // Waits. False when the reader has gone or a signal came.
  bool rest(std::chrono::milliseconds time = kNewsInterval);

 private:
  explicit Follow(std::unique_ptr<stdio::ProgramSignals> signals) : signals_(std::move(signals)) {}
  std::unique_ptr<stdio::ProgramSignals> signals_;
};

}  // namespace gibbous::cli
