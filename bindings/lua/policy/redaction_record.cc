// See redaction_record.h.
#include "bindings/lua/policy/redaction_record.h"

#include <algorithm>
#include <string>
#include <vector>

#include "bindings/json/read_member.h"
#include "bindings/lua/policy/policy_program.h"
#include "runtime/audit/redact.h"

namespace gibbous::lua {
namespace {

bool fits(const std::vector<std::string>& patterns) {
  std::size_t bytes = 0;
  for (const std::string& each : patterns) bytes += each.size();
  return patterns.size() <= kMaxRecordedPatterns && bytes <= kMaxRecordedPatternBytes;
}

}  // namespace

bool read_patterns(const Json& record, std::vector<std::string>* patterns) {
  const Json* found = find_member(record, "patterns");
  if (found == nullptr) return !record.contains("patterns");
  read_value(*found, *patterns);
  return found->is_array() && patterns->size() == found->size();
}

Json redaction_record(const Json& before, const PolicyProgram* policy) {
  std::vector<std::string> patterns;
  const bool readable = before.is_null() || (before.is_object() && !before.contains("too_many") &&
                                             read_patterns(before, &patterns));
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
