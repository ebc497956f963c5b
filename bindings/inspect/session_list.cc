// See session_list.h.
#include "bindings/inspect/session_list.h"

#include <algorithm>
#include <map>
#include <utility>

#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/run_facts.h"
#include "bindings/inspect/run_text.h"
#include "bindings/inspect/workspace.h"
#include "runtime/output/text.h"

namespace gibbous::inspect {
namespace {

std::string program_of(const std::string& session) {
  const std::size_t at = session.find('@');
  return at == std::string::npos ? "" : session.substr(0, at);
}

std::int64_t last_activity_of(const RunRecord& run) {
  return has_ended(run) ? run.finished_at
                        : std::max({run.queued_at, run.started_at, run.updated_at});
}

void add(SessionSummary& session, const RunRecord& run, Redactions& redactions) {
  if (session.runs++ == 0) {
    session.name = run.client;
    session.program = program_of(run.client);
    session.workspace = run.workspace;
  }
  if (!has_ended(run)) ++session.running;
  session.last_activity = std::max(session.last_activity, last_activity_of(run));
  std::string label = facts_of(run, redactions).label;
  auto& labels = session.labels;
  if (!label.empty() && std::find(labels.begin(), labels.end(), label) == labels.end()) {
    labels.push_back(std::move(label));
  }
}

}  // namespace

Result<std::vector<SessionSummary>> list_sessions(JournalReader& reader,
                                                  const std::string& directory) {
  const Result<std::vector<RunRecord>> runs = reader.runs("", kMaxListedRuns);
  if (!runs) return runs.status();
  std::map<std::string, SessionSummary> by_name;
  Redactions redactions;
  for (const RunRecord& run : *runs) add(by_name[run.client], run, redactions);
  std::vector<SessionSummary> sessions;
  for (auto& [name, session] : by_name) sessions.push_back(std::move(session));
  const std::string own = workspace_of(directory, *runs);
  const auto is_elsewhere = [&own](const SessionSummary& session) {
    return own.empty() || session.workspace != own;
  };
  std::sort(sessions.begin(), sessions.end(), [&](const auto& left, const auto& right) {
    if (is_elsewhere(left) != is_elsewhere(right)) return is_elsewhere(right);
    return left.last_activity > right.last_activity;
  });
  return sessions;
}

Result<std::string> find_session(JournalReader& reader, const std::string& name,
                                 const std::string& directory) {
  const Status exact = check_session(reader, name);
  if (exact || exact.code() != "session_not_found") return exact ? Result(name) : exact;
  const Result<std::vector<RunRecord>> runs = reader.runs("", kMaxListedRuns);
  if (!runs) return runs.status();
  const std::string own = workspace_of(directory, *runs);
  const RunRecord* found = nullptr;
  for (const RunRecord& run : *runs) {
    const bool unnamed = run.client.empty() && name == "-";
    if (!unnamed && short_session(run) != name && run.workspace != name) continue;
    if (found == nullptr || (run.workspace == own && found->workspace != own)) found = &run;
  }
  if (found != nullptr) return found->client;
  const Result<RunRecord> run = find_run(reader, name, directory);
  if (run) return run->client;
  return run.status().code() == "run_not_found" ? exact : run.status();
}

OrderedJson session_json(const SessionSummary& session) {
  OrderedJson labels = OrderedJson::array();
  for (const std::string& label : session.labels) labels.push_back(to_utf8(label));
  OrderedJson json = {{"session", to_utf8(session.name)}};
  if (!session.program.empty()) json["program"] = to_utf8(session.program);
  if (!session.workspace.empty()) json["workspace"] = to_utf8(session.workspace);
  json["runs"] = session.runs;
  json["running"] = session.running;
  json["last_activity"] = session.last_activity;
  json["labels"] = std::move(labels);
  return json;
}

}  // namespace gibbous::inspect
