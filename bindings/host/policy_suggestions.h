// Which questions a rule would have spared, from what people approved. Loop thread only.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bindings/json/json.h"
#include "bindings/lua/policy/policy_program.h"
#include "gibbous/policy.h"

namespace gibbous::host {

class Suggestions {
 public:
  // Takes one record of a decision log, and the request that it is about.
  void add(const Json& record, const lua::PolicyRequest& request, lua::PolicyProgram& policy);
  // Those with at least this many approvals, the most frequent first.
  std::vector<PolicySuggestion> list(std::size_t least) &&;

 private:
  std::vector<PolicySuggestion> found_;
};

}  // namespace gibbous::host
