// Follow: how a sub-command that shows news goes on: it writes what there is, rests for a moment,
// and ends on a signal or when nobody reads any more. Made before anything is printed. Main thread.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "bindings/stdio/program_signals.h"
#include "gibbous/status.h"

namespace gibbous::cli {

// How long news may lie in the journal before it is looked for.
inline constexpr std::chrono::milliseconds kNewsInterval{50};

class Follow {
 public:
  static Result<Follow> create();

  // Everything, to standard output. False when nobody reads it any more.
  bool write(std::string_view bytes);
  // Waits. False when it is to end.
  bool rest(std::chrono::milliseconds time = kNewsInterval);

 private:
  explicit Follow(std::unique_ptr<stdio::ProgramSignals> signals) : signals_(std::move(signals)) {}
  std::unique_ptr<stdio::ProgramSignals> signals_;
};

}  // namespace gibbous::cli
