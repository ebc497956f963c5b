// ProgressReports: the progress of one call, from two sources. Its script says how far it is; and
// while it waits, the runtime says that it does, so that clients do not give the call up. The
// amounts increase strictly, whichever source speaks. Loop thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/call/last_line.h"
#include "gibbous/runtime.h"
#include "runtime/base/clock.h"

namespace gibbous::lua {

// How often a call that waits is looked at.
struct ProgressPace {
  Millis look{1'000};     // a new line of output is reported, at most so often
  Millis silence{5'000};  // without one, the last report is repeated
};

// What the operations of a call wait for.
struct WaitingFor {
  std::vector<std::string> runs;  // ids
  bool answer = false;            // of a person, to a question of the policy
};

class ProgressReports {
 public:
  explicit ProgressReports(Nanos begun) : begun_(begun), reported_(begun) {}

  // Returns what the script reports, as the caller gets it.
  Progress said(Progress progress, Nanos now);
  // Returns what the runtime reports, if anything is due. Without a script that speaks, the amount
  // is the time in seconds.
  std::optional<Progress> due(const WaitingFor& waiting, Runs* runs, const LastLine::Redact& redact,
                              const ProgressPace& pace, Nanos now);

 private:
  double more() const;  // just above the last amount

  Nanos begun_;
  Nanos reported_;  // when the last report was made
  std::optional<double> amount_;
  bool by_script_ = false;       // it is the script's, or just above that
  bool padded_ = false;          // the runtime made the last report
  std::optional<double> total_;  // of the script
  std::string message_;          // of the script, or the last line
  LastLine last_line_;
};

}  // namespace gibbous::lua
