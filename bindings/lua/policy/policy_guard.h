// PolicyGuard: the policy of a configuration layer, which judges every request besides the policy
// in force; the strictest verdict counts, so that it can only add. It is a whole policy, or only
// rules that ask or deny. A PolicyProgram owns them. Loop thread only.
//
// A managed policy that was merged into a user's would be only as strong as the user's code leaves
// it. So each guard runs in an environment of its own, with the shipped modules that are built in,
// and C++ takes the strictest verdict, the intersection of the sandboxes and the smaller limits.
#pragma once

#include <string>

#include "bindings/lua/policy/policy_program.h"

namespace gibbous::lua {

struct PolicyGuard {
  std::string name;     // of the layer, in the ids of its rules: "managed:team.deploy"
  PolicyTables tables;  // without `decide`: only the rules count
};

// Returns the stricter of two complete sandboxes: what both let the run do. A null one restricts
// nothing.
Json stricter_sandbox(const Json& one, const Json& other);
// Makes the verdict at least as strict as a guard's.
void tighten(Verdict* verdict, Verdict guard, const std::string& name);

}  // namespace gibbous::lua
