// Redaction: how text of one run is redacted where it leaves the session: by the built-in patterns
// (runtime/audit/redact.h), and by those of the policies under which the run was recorded. The
// run's own record has these patterns, because a viewer knows nothing of that policy
// (bindings/lua/policy/redaction_record.h). A record that cannot be understood, or a pattern that
// cannot be compiled, redacts everything. Cheap to copy; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/json/json.h"
#include "runtime/audit/redact.h"
#include "runtime/journal/record.h"

namespace gibbous {

class Redaction {
 public:
  // The built-in patterns alone.
  Redaction() = default;

  // Redacts a command, a sentence or a line of output.
  std::string redact(std::string_view text) const;
  // Redacts pieces of one text, also a secret that goes on in the next one.
  std::vector<std::string> redact_pieces(const std::vector<std::string_view>& pieces) const;
  // Redacts every string in the value.
  void redact_strings(Json& value) const;
  // Redacts an argv (redacted_words.h).
  Json redact_words(const Json& argv) const;
  // Returns true when the patterns cannot be read, so that all text is redacted.
  bool hides_all() const { return everything_; }

 private:
  friend class Redactions;
  std::shared_ptr<const Redactor> redactor_;  // null: the built-in patterns
  bool everything_ = false;
};

// Redactions: compiles the patterns of many runs, those that are equal once. One thread.
class Redactions {
 public:
  // `meta` is the run's meta_json, parsed.
  Redaction of(const RunRecord& run, const Json& meta);

 private:
  std::map<std::string, Redaction> known_;  // by the text of the record
};

}  // namespace gibbous
