// How the row of a run looks once the run has ended: its text is redacted by the patterns that the
// journal keeps with it, and what only a start needs (the packed start, with its variables) is
// gone. Any thread.
#pragma once

#include "bindings/json/json.h"
#include "gibbous/status.h"
#include "runtime/audit/redact.h"
#include "runtime/journal/record.h"

namespace gibbous::host {

// Returns the redactor of a run's record (bindings/lua/policy/redaction_record.h), or an error when
// the record is anything but patterns that can be compiled.
Result<Redactor> recorded_redactor(const Json& record);

// Returns the function for JournalOptions::redact_ended. A run whose patterns cannot be read has
// `***` in the place of each text.
RedactRun row_redactor();

}  // namespace gibbous::host
