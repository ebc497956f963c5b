// See host_calls.h.
#include "bindings/inspect/host_calls.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bindings/inspect/event_text.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/run_text.h"
#include "bindings/stdio/question_text.h"
#include "runtime/output/text.h"
#include "runtime/process/pid_space.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxCallWordBytes = 64;
constexpr const char* kNone = "-";

// "ok" is what runs call completed.
std::string state_of(const HostCall& call) {
  if (call.host_gone) return "lost";
  if (!call.has_ended()) return "running";
  return call.record.outcome == "ok" ? "completed" : call.record.outcome;
}

std::int64_t time_of(const HostCall& call, std::int64_t now) {
  return (call.has_ended() ? call.record.finished_at : now) - call.record.started_at;
}

// A process that cannot be seen from here may go on.
bool is_host_gone(const HostCallRecord& call) {
  return !is_process_alive(call.pid_space, call.pid, call.pid_started).value_or(true);
}

}  // namespace

Result<std::vector<HostCall>> host_calls(JournalReader& reader, const std::string& session,
                                         bool all, bool* more) {
  // Hosts that were killed leave calls that have no end.
  constexpr std::size_t kMostWithoutEnd = 10 * kMaxListedCalls;
  const auto open = reader.host_calls(session, JournalReader::CallsThat::kGoOn, kMostWithoutEnd);
  if (!open) return open.status();
  std::vector<HostCall> calls;
  std::vector<HostCall> ended;
  for (const HostCallRecord& record : *open) {
    HostCall call{record, is_host_gone(record)};
    (call.host_gone ? ended : calls).push_back(std::move(call));
  }
  *more = open->size() == kMostWithoutEnd || calls.size() > kMaxListedCalls;
  if (calls.size() > kMaxListedCalls) calls.resize(kMaxListedCalls);
  if (!all) return calls;
  const auto over =
      reader.host_calls(session, JournalReader::CallsThat::kHaveEnded, kMaxEndedCalls + 1);
  if (!over) return over.status();
  for (const HostCallRecord& record : *over) ended.push_back({record, false});
  std::stable_sort(ended.begin(), ended.end(), [](const HostCall& left, const HostCall& right) {
    return left.record.started_at > right.record.started_at;
  });
  if (ended.size() > kMaxEndedCalls) {
    *more = true;
    ended.resize(kMaxEndedCalls);
  }
  calls.insert(calls.end(), std::make_move_iterator(ended.begin()),
               std::make_move_iterator(ended.end()));
  return calls;
}

std::vector<std::string> call_row(const HostCall& call, std::int64_t now) {
  RunRecord named;  // as the session of a run is shown
  named.client = named.session_id = call.record.session_id;
  named.workspace = call.record.workspace;
  return {stdio::printable(call.record.call_id, kMaxCallWordBytes),
          stdio::printable(state_of(call), kMaxCallWordBytes),
          short_session(named),
          short_time_text(call.record.started_at),
          call.host_gone ? kNone : duration_text(time_of(call, now)),
          kNone,
          kNone,
          kNone,
          stdio::printable(call.record.tool, kMaxCallWordBytes) + " (tool of the host)"};
}

OrderedJson call_json(const HostCall& call, std::int64_t now) {
  OrderedJson json = {{"id", to_utf8(call.record.call_id)},
                      {"session", to_utf8(call.record.session_id)},
                      {"state", to_utf8(state_of(call))},
                      {"tool", to_utf8(call.record.tool)},
                      {"workspace", to_utf8(call.record.workspace)},
                      {"pid", call.record.pid},
                      {"started_at", call.record.started_at}};
  if (call.has_ended()) json["finished_at"] = call.record.finished_at;
  if (!call.host_gone) json["runtime_ms"] = time_of(call, now);
  return json;
}

}  // namespace gibbous::inspect
