// See journal_query.h.
#include "bindings/inspect/journal_query.h"

#include <algorithm>
#include <utility>

#include "bindings/host/ended_row.h"
#include "bindings/host/places.h"
#include "bindings/inspect/run_facts.h"
#include "bindings/stdio/question_text.h"
#include "runtime/base/nearest.h"
#include "runtime/journal/kill_request.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxNamedRuns = 5;  // in a message
constexpr Millis kEndPatience{5'000};     // for other writers

std::string named(std::string_view name) {
  return "'" + stdio::printable(name, kMaxJournalIdBytes) + "'";
}

Status not_found(const char* code, const std::string& what, std::string_view name,
                 const std::vector<std::string>& known) {
  const std::string nearest =
      name.size() <= kMaxJournalIdBytes ? nearest_name(std::string(name), known) : "";
  return Status::error(code, "the journal holds no " + what + " " + named(name) +
                                 did_you_mean(stdio::printable(nearest, kMaxJournalIdBytes)));
}

// The label of a run that has ended is redacted, so that the name is compared as it would be kept.
bool is_label(const RunFacts& facts, std::string_view name) {
  if (facts.given_label == name) return true;
  const bool redacted = facts.given_label.find(kMask) != std::string::npos;
  return redacted && !facts.redaction.hides_all() &&
         facts.redaction.redact(name) == facts.given_label;
}

using Runs = std::vector<const RunRecord*>;  // newest first

Status ambiguous(const std::string& what, std::string_view name, const Runs& runs) {
  std::string message = what + " " + named(name) + ": ";
  for (std::size_t i = 0; i < runs.size() && i < kMaxNamedRuns; ++i) {
    message += (i > 0 ? ", " : "") + named(runs[i]->run_id);
  }
  return Status::error("run_ambiguous", message + (runs.size() > kMaxNamedRuns ? ", ..." : ""));
}

// The runs of the workspace, or all of them when it has none.
Runs nearest_runs(const Runs& runs, const std::string& workspace) {
  Runs near;
  for (const RunRecord* run : runs) {
    if (run->workspace == workspace) near.push_back(run);
  }
  return near.empty() ? runs : near;
}

Result<RunRecord> the_labelled(const Runs& runs, std::string_view name) {
  Runs active;
  for (const RunRecord* run : runs) {
    if (!has_ended(*run)) active.push_back(run);
  }
  if (active.size() > 1) return ambiguous("more than one run has the label", name, active);
  return active.empty() ? *runs.front() : *active.front();
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

Result<RunRecord> find_run(JournalReader& reader, std::string_view name,
                           const std::string& directory) {
  Result<RunRecord> exact = reader.run(name);
  if (exact || exact.status().code() != "run_not_found") return exact;
  const Result<std::vector<RunRecord>> runs = reader.runs("", kMaxListedRuns);
  if (!runs) return runs.status();
  Redactions redactions;
  std::vector<std::string> known;
  Runs labelled;
  Runs begun;
  for (const RunRecord& run : *runs) {
    known.push_back(run.run_id);
    const RunFacts facts = facts_of(run, redactions);
    std::string label = facts.given_label;
    if (name.empty()) continue;
    if (is_label(facts, name)) labelled.push_back(&run);
    if (run.run_id.compare(0, name.size(), name) == 0) begun.push_back(&run);
    if (!label.empty()) known.push_back(std::move(label));
  }
  if (!labelled.empty()) {
    return the_labelled(nearest_runs(labelled, workspace_of(directory, *runs)), name);
  }
  if (begun.size() > 1) return ambiguous("more than one run begins with", name, begun);
  if (!begun.empty()) return *begun.front();
  return not_found("run_not_found", "run", name, known);
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

Result<KillRequest> request_end(const std::string& asked, const std::string& run_id,
                                const std::string& signal, const Clock& clock) {
  return request_kill(journal_directory(asked), run_id, signal, clock, kEndPatience,
                      host::row_redactor());
}

}  // namespace gibbous::inspect
