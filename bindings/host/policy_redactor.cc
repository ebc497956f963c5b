#include "bindings/host/policy_redactor.h"

#include <algorithm>
#include <utility>

namespace gibbous::host {

void PolicyRedactor::use(std::uint64_t generation, const lua::PolicyProgram& policy) {
  if (generation_ == generation) return;
  generation_ = generation;
  for (const std::string& each : policy.redact_patterns()) {
    const bool is_new = std::find(patterns_.begin(), patterns_.end(), each) == patterns_.end();
    if (is_new) patterns_.push_back(each);
  }
  auto made = Redactor::create(patterns_, kMaxRecordedPatterns);
  unknown_ = !made || !policy.error().empty();
  if (!made) made = Redactor::create(policy.redact_patterns());  // too many of several policies
  if (made) redactor_ = std::move(*made);
}

std::string PolicyRedactor::redact(std::string_view text) const {
  if (text.empty()) return "";
  return unknown_ ? "***" : redactor_.redact(text);
}

}  // namespace gibbous::host
