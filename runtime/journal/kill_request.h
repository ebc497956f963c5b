// Requests the end of a run from another process, without a Journal, over one short connection. Any
// thread; waits for the disk and for busy writers.
#pragma once

#include <string>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/journal/record.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

// Works like Journal::request_kill; JournalReader::request(id) says whether the request was
// answered. `directory` is the state directory. Fails with state_dir_missing or journal_missing
// when nothing was ever recorded there, with invalid_argument, run_not_found or run_ended, with
// journal_busy when other writers keep the lock, or as a reader does. `redact`: of the row of a run
// that was queued, and so has ended by this.
Result<KillRequest> request_kill(const std::string& directory, const std::string& run_id,
                                 const std::string& signal, const Clock& clock,
                                 Millis busy_timeout = Millis{5'000},
                                 const RedactRun& redact = nullptr);

}  // namespace gibbous
