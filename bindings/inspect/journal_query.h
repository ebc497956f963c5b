// The journal as the commands for people open it: by state directory, read-only, beside whoever
// writes. One thread at a time for a reader.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::inspect {

// How many runs a list looks at, newest first.
inline constexpr std::size_t kMaxListedRuns = 10'000;

// The state directory that is meant; "" when there is none.
std::string journal_directory(const std::string& asked);

// `asked` is --state, or "" for the default directory. Fails as JournalReader::open does.
Result<std::unique_ptr<JournalReader>> open_journal(const std::string& asked);

// The run with this id, or the only one whose id begins so. Fails with run_not_found, which names
// the nearest one, or with run_ambiguous.
Result<RunRecord> find_run(JournalReader& reader, std::string_view id);

// Fails with session_not_found, which names the nearest one, when no run belongs to it.
Status check_session(JournalReader& reader, const std::string& session);

// Runs that have not ended, newest first.
Result<std::vector<RunRecord>> active_runs(JournalReader& reader, const std::string& session);

}  // namespace gibbous::inspect
