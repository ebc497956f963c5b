// Asking for a run's end from another process, without a Journal: one short connection. Any thread;
// waits for the disk and for writers that are busy.
#pragma once

#include <string>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

// As Journal::request_kill; JournalReader::request(id) tells whether it was answered. `directory`
// is the state directory. Fails with state_dir_missing or journal_missing when nothing was ever
// recorded there, invalid_argument, run_not_found, run_ended, journal_busy when other writers do
// not let go, or as a reader does.
Result<KillRequest> request_kill(const std::string& directory, const std::string& run_id,
                                 const std::string& signal, const Clock& clock,
                                 Millis busy_timeout = Millis{5'000});

}  // namespace gibbous
