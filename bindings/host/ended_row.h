// How the row of a run looks once the run has ended: its text is redacted by the patterns that the
// journal keeps with it, and what only a start needs (the packed start, with its variables) is
// gone. Any thread.
#pragma once

#include "runtime/journal/record.h"

namespace gibbous::host {

// Returns the function for JournalOptions::redact_ended. A run whose patterns cannot be read has
// `***` in the place of each text.
RedactRun row_redactor();

}  // namespace gibbous::host
