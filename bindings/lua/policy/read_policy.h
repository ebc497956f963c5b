// ReadPolicy: what has been read of a policy's tables: plain data without any Lua, shared by
// generations. Immutable; any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/rules/rules.h"

namespace gibbous::lua {

// Where a rule's test function is found again.
struct TestOrigin {
  std::string module;  // returns a list of rules; "": only reading all rules again finds it
  int item = 0;        // in that list, from 1
};

struct ReadPolicy {
  std::shared_ptr<const command::Knowledge> knowledge;
  std::shared_ptr<const rules::RuleSet> rules;  // null: none
  std::vector<TestOrigin> tests;                // by Rule::test
};

}  // namespace gibbous::lua
