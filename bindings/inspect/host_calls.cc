// See host_calls.h.
#include "bindings/inspect/host_calls.h"

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
                                         bool all) {
  const auto records = reader.host_calls(session, !all, kMaxListedCalls);
  if (!records) return records.status();
  std::vector<HostCall> calls;
  for (const HostCallRecord& record : *records) {
    HostCall call{record, record.finished_at == 0 && is_host_gone(record)};
    if (all || !call.host_gone) calls.push_back(std::move(call));
  }
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
