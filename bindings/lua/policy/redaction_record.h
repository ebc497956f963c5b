// What the journal says with a run about secrets: the redact patterns of every policy under which
// the run was queued or recorded. Other processes, which know nothing of that policy, redact by
// them what they show of the run (bindings/host/redaction.h). Pure, any thread.
//
// The host writes the patterns before the output that they are for. Redacting that output as it is
// written would take it from the run's own agent, and redacting the row would take it from a queued
// run that is still to be started. Patterns are only added, because a run may go on under several
// policies; a record that cannot be read redacts everything.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bindings/json/json.h"

namespace gibbous::lua {

class PolicyProgram;

// The member of RunRecord::meta_json.
inline constexpr const char* kRedactionMember = "redact";

// Adds the policy's patterns to the record that the run has. Patterns are only added: output that
// an earlier policy redacted stays redacted. The record is null when there is nothing to say, or
//   patterns  the patterns in RE2's syntax
//   unknown   true while the policy's patterns are not known, because it cannot be read
//   too_many  true, for ever, when the patterns exceed kMaxRecordedPatterns or
//             kMaxRecordedPatternBytes; the patterns are dropped
// With `unknown` or `too_many`, readers redact everything. A null policy is one that is not known.
Json redaction_record(const Json& before, const PolicyProgram* policy);

// Takes the patterns of a record, if it has any; returns false when they are anything else.
bool read_patterns(const Json& record, std::vector<std::string>* patterns);

// A run that goes on while its policy changes collects this much.
inline constexpr std::size_t kMaxRecordedPatternBytes = std::size_t{128} << 10;

}  // namespace gibbous::lua
