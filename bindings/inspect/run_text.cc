// See run_text.h.
#include "bindings/inspect/run_text.h"

#include <chrono>
#include <set>

#include "bindings/inspect/event_text.h"
#include "bindings/inspect/figures.h"
#include "bindings/stdio/question_text.h"
#include "runtime/output/text.h"
#include "runtime/output/utf8.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxTitleBytes = 1'000;
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxShownPorts = 4;
constexpr const char* kUnknown = "-";

std::int64_t millis_of(std::chrono::microseconds time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

std::string cpu_text(const LiveRun& run) {
  if (run.presence == Presence::kThere) return duration_text(millis_of(run.usage.cpu));
  return run.facts.cpu_ms ? duration_text(*run.facts.cpu_ms) : kUnknown;
}

std::string memory_text(const LiveRun& run) {
  if (run.presence == Presence::kThere) return bytes_text(run.usage.rss_bytes);
  return run.facts.peak_rss_bytes ? bytes_text(*run.facts.peak_rss_bytes) : kUnknown;
}

std::string ended_text(const LiveRun& run) {
  const std::string why = end_text(run.record, run.facts);
  return run.record.status + (why.empty() ? "" : " (" + why + ")");
}

// Returns how long the run ran, has run, or has waited for its start.
std::string time_taken(const RunRecord& run, std::int64_t now) {
  if (run.started_at != 0) return duration_text(runtime_of(run, now));
  return has_ended(run) ? kUnknown : duration_text(now - beginning_of(run));
}

OrderedJson usage_json(const TreeUsage& usage) {
  OrderedJson ports = OrderedJson::array();
  for (const ListeningPort& port : usage.ports) {
    ports.push_back({{"port", port.port},
                     {"address", port.address},
                     {"pid", port.pid},
                     {"loopback_only", port.loopback_only}});
  }
  OrderedJson json = {{"processes", usage.processes},
                      {"threads", usage.threads},
                      {"rss_bytes", usage.rss_bytes},
                      {"cpu_time_ms", millis_of(usage.cpu)},
                      {"ports", ports}};
  if (usage.waiting_pid != 0) json["waiting_for_input"] = {{"pid", usage.waiting_pid}};
  return json;
}

// Returns a printable text that shows by a mark that it goes on.
std::string shortened(const std::string& text, std::size_t most) {
  constexpr std::size_t kLongestEscape = 8;
  if (text.size() <= most) return stdio::printable(text, most * kLongestEscape);
  const std::string_view begin = std::string_view(text).substr(0, most);
  return stdio::printable(begin.substr(0, most - incomplete_utf8_tail(begin)),
                          most * kLongestEscape) +
         "…";
}

void add_text(OrderedJson& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = to_utf8(text);
}

}  // namespace

std::vector<std::string> run_headings() {
  return {"ID", "STATE", "SESSION", "STARTED", "TIME", "CPU", "MEM", "PORTS", "COMMAND"};
}

std::vector<std::string> run_row(const LiveRun& run, std::int64_t now) {
  const RunRecord& record = run.record;
  return {stdio::printable(record.run_id, kMaxNameBytes),
          has_ended(record) ? ended_text(run) : state_text(run),
          short_session(record),
          record.started_at == 0 ? kUnknown : short_time_text(record.started_at),
          time_taken(record, now),
          cpu_text(run),
          memory_text(run),
          ports_text(run.usage),
          title_of(record, run.facts)};
}

std::string short_session(const RunRecord& run) {
  std::string name = session_name(run);
  const std::string place = "@" + run.workspace;
  const std::size_t at = run.workspace.empty() ? std::string::npos : name.find(place);
  if (at != std::string::npos) name.erase(at, place.size());
  return stdio::printable(name, kMaxNameBytes);
}

std::string ports_text(const TreeUsage& usage) {
  std::set<std::uint16_t> shown;
  std::string text;
  for (const ListeningPort& port : usage.ports) {
    if (!shown.insert(port.port).second) continue;
    if (shown.size() > kMaxShownPorts) return text + " ...";
    text += (text.empty() ? "" : " ") + std::to_string(port.port);
    if (!port.loopback_only) text += '*';
  }
  return text.empty() ? kUnknown : text;
}

std::string title_of(const RunRecord& run, const RunFacts& facts) {
  const std::string command = stdio::printable(facts.redaction.redact(run.command), kMaxTitleBytes);
  const bool sandboxed = !facts.sandbox.empty() && facts.sandbox != "none";
  return (sandboxed ? "(" + shortened(facts.sandbox, kMaxNameBytes) + ") " : "") +
         (facts.label.empty() ? "" : "[" + shortened(facts.label, kMaxNameBytes) + "] ") + command;
}

std::string end_text(const RunRecord& run, const RunFacts& facts) {
  if (!has_ended(run)) return "";
  if (!run.error_message.empty()) {
    const std::string reason = facts.redaction.redact(run.error_message);
    return stdio::printable(reason_beside(run.status, reason), kMaxTitleBytes);
  }
  if (run.has_exit_code && run.exit_code != 0) return "exit code " + std::to_string(run.exit_code);
  return "";
}

OrderedJson run_json(const LiveRun& run, std::int64_t now) {
  const RunRecord& record = run.record;
  OrderedJson json = {{"id", to_utf8(record.run_id)},
                      {"session", to_utf8(record.client)},
                      {"state", to_utf8(state_of(record))},
                      {"command", to_utf8(run.facts.redaction.redact(record.command))}};
  add_text(json, "workspace", record.workspace);
  if (record.session_id != record.client) json["queue"] = to_utf8(record.session_id);
  add_text(json, "label", run.facts.label);
  add_text(json, "tool", run.facts.tool);
  add_text(json, "sandbox", run.facts.sandbox);
  add_text(json, "cwd", run.facts.cwd);
  if (run.facts.pid != 0) json["pid"] = run.facts.pid;
  json["queued_at"] = record.queued_at;
  json["started_at"] = record.started_at;
  if (has_ended(record)) json["finished_at"] = record.finished_at;
  json["runtime_ms"] = runtime_of(record, now);
  if (record.has_exit_code) json["exit_code"] = record.exit_code;
  add_text(json, "reason", run.facts.redaction.redact(record.error_message));
  if (run.facts.cpu_ms) json["cpu_time_ms"] = *run.facts.cpu_ms;
  if (run.facts.peak_rss_bytes) json["peak_rss_bytes"] = *run.facts.peak_rss_bytes;
  if (run.presence == Presence::kThere) json["usage"] = usage_json(run.usage);
  if (run.presence == Presence::kGone) json["host_gone"] = true;
  return json;
}

}  // namespace gibbous::inspect
