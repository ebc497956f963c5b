// Opens the journal of a state directory read-only, and finds runs and sessions in it. Another
// process may write at the same time. One thread at a time for each reader.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/inspect/workspace.h"
#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::inspect {

// A list reads at most this many runs, newest first.
inline constexpr std::size_t kMaxListedRuns = 10'000;

// Returns the state directory; "" when there is none.
std::string journal_directory(const std::string& asked);

// `asked` is --state, or "" for the default directory. Fails as JournalReader::open does.
Result<std::unique_ptr<JournalReader>> open_journal(const std::string& asked);

// Returns the run with this id, else with this label, else the only run whose id begins with
// `name`. When several runs have the label, runs of the workspace around `directory` come first;
// among them the one that has not ended, else the newest. Fails with run_not_found, which suggests
// the nearest name, or with run_ambiguous, which names the ids.
Result<RunRecord> find_run(JournalReader& reader, std::string_view name,
                           const std::string& directory = current_directory());

// Fails with session_not_found, which suggests the nearest name, when the session has no run.
Status check_session(JournalReader& reader, const std::string& session);

// Requests the end of a run, as gibbous::request_kill() does. `asked`: see open_journal().
Result<KillRequest> request_end(const std::string& asked, const std::string& run_id,
                                const std::string& signal, const Clock& clock);

// The runs that have not ended, newest first.
Result<std::vector<RunRecord>> active_runs(JournalReader& reader, const std::string& session);

}  // namespace gibbous::inspect
