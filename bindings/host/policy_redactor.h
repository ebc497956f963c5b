// PolicyRedactor redacts what is recorded of runs besides their output: by the patterns of every
// policy that this process has had, because a run may go on under several. Loop thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/lua/policy/policy_program.h"
#include "runtime/audit/redact.h"

namespace gibbous::host {

class PolicyRedactor {
 public:
  // The policy in force; `generation` is another number for another policy.
  void use(std::uint64_t generation, const lua::PolicyProgram& policy);
  // Returns `***` while the patterns of the policy are not known, because it cannot be read.
  std::string redact(std::string_view text) const;
  // Has the patterns of the policy in force, and those of earlier ones as far as there is room.
  const Redactor& redactor() const { return redactor_; }

 private:
  std::vector<std::string> patterns_;
  Redactor redactor_;
  std::uint64_t generation_ = 0;
  bool unknown_ = false;
};

}  // namespace gibbous::host
