// What this machine allows Gibbous to do, and whether an installation is complete. Used by `gibbous
// doctor` and by hosts that want to know before the first run. Any thread; takes about 10 ms,
// because it tries things in short-lived children.
#pragma once

#include <string>
#include <vector>

#include "gibbous/runtime.h"

namespace gibbous {

struct Finding {
  // kNote: something works, but less well. kProblem: runs will not start, or will not be contained.
  enum class Grade { kGood, kNote, kProblem } grade = Grade::kGood;
  std::string name;    // a stable word: keeper, scripts, limits.memory, sandbox.landlock, ...
  std::string value;   // the state found, short
  std::string advice;  // what to do; "" when there is nothing
};

// Returns findings in a fixed order; the options say which installation and configuration to check.
std::vector<Finding> examine(const RuntimeOptions& options);

// Returns { "version": ..., "ok": whether there is no problem, "findings": [{name, grade, value,
// advice?}] }; grades are "good", "note" and "problem".
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace gibbous
