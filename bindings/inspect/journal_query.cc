// See journal_query.h.
#include "bindings/inspect/journal_query.h"

#include <algorithm>
#include <utility>

#include "bindings/host/places.h"
#include "bindings/inspect/run_facts.h"
#include "bindings/stdio/question_text.h"
#include "runtime/base/nearest.h"

namespace gibbous::inspect {
namespace {

std::string named(std::string_view name) {
  return "'" + stdio::printable(name, kMaxJournalIdBytes) + "'";
}

Status not_found(const char* code, const std::string& what, std::string_view name,
                 const std::vector<std::string>& known) {
  const std::string nearest =
      name.size() <= kMaxJournalIdBytes ? nearest_name(std::string(name), known) : "";
  return Status::error(code, "the journal holds no " + what + " " + named(name) +
                                 (nearest.empty() ? "" : "; did you mean " + named(nearest) + "?"));
}

}  // namespace

std::string journal_directory(const std::string& asked) {
  return host::state_directory(asked);
}

Result<std::unique_ptr<JournalReader>> open_journal(const std::string& asked) {
  const std::string directory = journal_directory(asked);
  if (directory.empty()) {
    return Status::error("state_dir_missing", "there is no home directory; name one with --state");
  }
  return JournalReader::open(directory);
}

Result<RunRecord> find_run(JournalReader& reader, std::string_view id) {
  Result<RunRecord> exact = reader.run(id);
  if (exact || exact.status().code() != "run_not_found") return exact;
  Result<std::vector<RunRecord>> runs = reader.runs("", kMaxListedRuns);
  if (!runs) return runs.status();
  std::vector<std::string> known;
  RunRecord* found = nullptr;
  for (RunRecord& run : *runs) {
    known.push_back(run.run_id);
    if (id.empty() || run.run_id.compare(0, id.size(), id) != 0) continue;
    if (found != nullptr) {
      return Status::error("run_ambiguous", "more than one run begins with " + named(id) + ": " +
                                                named(found->run_id) + ", " + named(run.run_id));
    }
    found = &run;
  }
  if (found != nullptr) return std::move(*found);
  return not_found("run_not_found", "run", id, known);
}

Status check_session(JournalReader& reader, const std::string& session) {
  const auto own = reader.runs(session, 1);
  if (!own) return own.status();
  if (!own->empty()) return {};
  const auto runs = reader.runs("", kMaxListedRuns);
  if (!runs) return runs.status();
  std::vector<std::string> known;
  for (const RunRecord& run : *runs) known.push_back(run.session_id);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return not_found("session_not_found", "run of a session", session, known);
}

Result<std::vector<RunRecord>> active_runs(JournalReader& reader, const std::string& session) {
  Result<std::vector<RunRecord>> runs = reader.runs(session, kMaxListedRuns);
  if (runs) std::erase_if(*runs, [](const RunRecord& run) { return has_ended(run); });
  return runs;
}

}  // namespace gibbous::inspect
