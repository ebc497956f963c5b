// See redaction_record.h.
#include "bindings/lua/policy/redaction_record.h"

#include <algorithm>
#include <string>
#include <vector>

#include "bindings/lua/policy/policy_program.h"
#include "runtime/audit/redact.h"

namespace gibbous::lua {
namespace {

// Returns false when the record has anything but patterns in their place.
bool read_earlier(const Json& before, std::vector<std::string>* patterns) {
  if (before.is_null()) return true;
  if (!before.is_object() || before.contains("too_many")) return false;
  const auto found = before.find("patterns");
  if (found == before.end()) return true;
  if (!found->is_array()) return false;
  for (const Json& each : *found) {
    if (!each.is_string()) return false;
    patterns->push_back(each.get<std::string>());
  }
  return true;
}

bool fits(const std::vector<std::string>& patterns) {
  std::size_t bytes = 0;
  for (const std::string& each : patterns) bytes += each.size();
  return patterns.size() <= kMaxRecordedPatterns && bytes <= kMaxRecordedPatternBytes;
}

}  // namespace

Json redaction_record(const Json& before, const PolicyProgram* policy) {
  std::vector<std::string> patterns;
  const bool readable = read_earlier(before, &patterns);
  const bool known = policy != nullptr && policy->error().empty();
  if (policy != nullptr) {
    for (const std::string& each : policy->redact_patterns()) {
      const bool is_new = std::find(patterns.begin(), patterns.end(), each) == patterns.end();
      if (is_new) patterns.push_back(each);
    }
  }
  if (!readable || !fits(patterns)) return {{"too_many", true}};
  Json record;
  if (!patterns.empty()) record["patterns"] = std::move(patterns);
  if (!known) record["unknown"] = true;
  return record;
}

}  // namespace gibbous::lua
