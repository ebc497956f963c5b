#include "bindings/host/record_text.h"

#include <sys/resource.h>

#include <limits>

#include "bindings/host/policy_redactor.h"
#include "bindings/json/text.h"
#include "bindings/lua/api/queued_start.h"
#include "bindings/lua/policy/redaction_record.h"
#include "runtime/base/cut_line.h"
#include "runtime/output/text.h"
#include "runtime/process/proc.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMaxRefusalBytes = 160;

std::string dump(const OrderedJson& json) {
  if (json.empty()) return "";
  return to_text(json);
}

// How other processes find the run's processes.
void add_processes(const Run& run, OrderedJson* to) {
  if (run.pid() == 0) return;
  OrderedJson& pid = (*to)["pid"];
  const bool is_known = pid == run.pid() && to->contains("pid_started") && to->contains("mark");
  pid = run.pid();
  if (run.keeper_number() != 0) (*to)["keeper"] = run.keeper_number();
  if (run.ended() || is_known) return;
  if (const auto stat = read_stat(run.pid())) (*to)["pid_started"] = stat->start_time;
  rlimit limit{};
  if (::prlimit(run.pid(), RLIMIT_RTTIME, nullptr, &limit) == 0) {
    (*to)["mark"] = std::to_string(limit.rlim_cur);
  }
}

void add_end(const Run& run, OrderedJson* to) {
  const auto& exit = run.exit_status();
  if (exit && exit->signal != 0) (*to)["signal"] = exit->signal;
  if (run.limit_reached()) (*to)["limit"] = to_string(run.limit_reached()->kind);
}

// A host that takes the run over does not know the size at the start.
void add_terminal(const Run& run, OrderedJson* meta) {
  const TerminalSize start = run.spec().terminal->size;
  const TerminalSize now = run.terminal_size().value_or(start);
  OrderedJson& terminal = (*meta)["terminal"];
  if (!terminal.is_object()) terminal = {{"rows", start.rows}, {"cols", start.cols}};
  terminal["now"] = {{"rows", now.rows}, {"cols", now.cols}};
}

void add_redaction(const lua::PolicyProgram* policy, OrderedJson* meta) {
  const auto before = meta->find(lua::kRedactionMember);
  const Json record = lua::redaction_record(before == meta->end() ? Json() : Json(*before), policy);
  if (!record.is_null()) {
    (*meta)[lua::kRedactionMember] = record;
  } else if (before != meta->end()) {
    meta->erase(before);
  }
}

}  // namespace

std::string describe_run(const Run& run, const RunPlace& place, const std::string& before,
                         const std::vector<std::size_t>& fired) {
  const RunSpec& spec = run.spec();
  OrderedJson meta = OrderedJson::parse(before.empty() ? "{}" : before, nullptr, false);
  if (!meta.is_object()) meta = OrderedJson::object();
  // A runtime that is shutting down has no policy any more, and adds nothing.
  if (place.policy != nullptr || before.empty()) add_redaction(place.policy, &meta);
  if (!spec.label.empty()) meta["label"] = spec.label;
  if (!spec.cwd.empty()) meta["cwd"] = spec.cwd;
  if (!spec.argv.empty()) meta["argv"] = spec.argv;
  if (!spec.tool.empty()) meta["tool"] = spec.tool;
  meta["mode"] = place.mode;
  if (!fired.empty()) meta["fired"] = fired;
  if (spec.restarts > 0) meta["restart_of"] = spec.restart_of;
  if (!run.next().empty()) meta["next"] = run.next();
  if (spec.sandbox) meta["sandbox"] = spec.sandbox->profile;
  if (spec.terminal) add_terminal(run, &meta);
  if (run.ended()) {
    // It is not started again.
    for (const char* name : {lua::kQueuedStartVersionMember, "start", "queued"}) meta.erase(name);
  }
  add_processes(run, &meta);
  add_end(run, &meta);
  return dump(meta);
}

RunProcesses processes_of(const RunRecord& run) {
  RunProcesses processes;
  const Json meta = parse_object(run.meta_json, kMaxJournalTextBytes);
  const auto number = [&meta](const char* name) {
    const auto found = meta.find(name);
    return found != meta.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  };
  const std::uint64_t pid = number("pid");
  if (pid > 0 && pid <= std::numeric_limits<pid_t>::max() && number("pid_started") != 0) {
    processes.leader = {static_cast<pid_t>(pid), number("pid_started")};
  }
  // The mark says the same, but its processes may change it.
  const std::uint64_t keeper = number("keeper");
  if (keeper <= std::numeric_limits<std::uint32_t>::max()) {
    processes.keeper = static_cast<std::uint32_t>(keeper);
  }
  return processes;
}

std::string describe_state(const Run& run, const PolicyRedactor& redactor) {
  OrderedJson meta = OrderedJson::object();
  if (run.pid() != 0) meta["pid"] = run.pid();
  if (run.state() == RunState::kQueued) meta["reason"] = redactor.redact(to_utf8(run.reason()));
  if (run.ended()) {
    meta["reason"] = redactor.redact(to_utf8(run.reason()));
    const auto& exit = run.exit_status();
    if (exit && exit->signal == 0) meta["exit_code"] = exit->code;
    add_end(run, &meta);
  }
  return dump(meta);
}

std::string describe_refusal(const CallResult& refusal, const std::string& mode) {
  if (refusal.code == "needs_approval") {
    return "not started: mode " + mode + " asks, and no person can answer";
  }
  const std::string reason = clean(refusal.message.substr(0, refusal.message.find('\n')));
  return "not started: mode " + mode + " denies it: " + cut_line(reason, kMaxRefusalBytes);
}

}  // namespace gibbous::host
