// Opens the journal of a state directory read-only, and finds runs and sessions in it. Another
// process may write at the same time. One thread at a time for each reader.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::inspect {

// How many runs a list reads, newest first.
inline constexpr std::size_t kMaxListedRuns = 10'000;

// The state directory; "" when there is none.
std::string journal_directory(const std::string& asked);

// `asked` is --state, or "" for the default directory. Fails as JournalReader::open does.
Result<std::unique_ptr<JournalReader>> open_journal(const std::string& asked);

// The run with this id, or the only run whose id begins with it. Fails with run_not_found, which
// suggests the nearest id, or with run_ambiguous.
Result<RunRecord> find_run(JournalReader& reader, std::string_view id);

// Fails with session_not_found, which suggests the nearest name, when the session has no run.
Status check_session(JournalReader& reader, const std::string& session);

// The runs that have not ended, newest first.
Result<std::vector<RunRecord>> active_runs(JournalReader& reader, const std::string& session);

}  // namespace gibbous::inspect
