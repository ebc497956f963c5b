// What `gibbous policy test` says about a policy: its examples and cases, and which rules they show
// at work. Loop thread only.
#pragma once

#include "gibbous/policy.h"

namespace gibbous::lua {
class PolicyProgram;
struct PolicyTables;
}  // namespace gibbous::lua

namespace gibbous::host {

// `tables`: those of the policy, or of the layer that is tested.
PolicyReport test_policy(lua::PolicyProgram& policy, const lua::PolicyTables& tables);
}  // namespace gibbous::host
