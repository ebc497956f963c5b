// What this machine lets Gibbous do, and whether an installation is complete. Used by `gibbous
// doctor` and by hosts that want to know before the first run. Any thread; takes some 10 ms, for it
// tries things in short-lived children.
#pragma once

#include <string>
#include <vector>

#include "gibbous/runtime.h"

namespace gibbous {

struct Finding {
  // kNote: something works in a lesser way. kProblem: runs will not start, or not be contained.
  enum class Grade { kGood, kNote, kProblem } grade = Grade::kGood;
  std::string name;    // a stable word: keeper, scripts, limits.memory, sandbox.landlock, ...
  std::string value;   // what there is, short
  std::string advice;  // what to do; "" when there is nothing
};

// In a fixed order; the options say which installation and configuration to look at.
std::vector<Finding> examine(const RuntimeOptions& options);

// { "version": ..., "ok": no problem was found, "findings": [{name, grade, value, advice?}] };
// grades are "good", "note" and "problem".
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace gibbous
