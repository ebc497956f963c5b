#include "bindings/host/record_text.h"

#include <sys/resource.h>

#include "bindings/json/text.h"
#include "runtime/output/text.h"
#include "runtime/process/proc.h"

namespace gibbous::host {
namespace {

std::string dump(const OrderedJson& json) {
  if (json.empty()) return "";
  return to_text(json);
}

// How other processes find the run's processes.
void add_processes(const Run& run, OrderedJson* to) {
  if (run.pid() == 0) return;
  (*to)["pid"] = run.pid();
  if (run.ended()) return;
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

}  // namespace

std::string describe_run(const Run& run, const std::string& mode, const std::string& before,
                         const std::vector<std::size_t>& fired) {
  const RunSpec& spec = run.spec();
  OrderedJson meta = OrderedJson::parse(before.empty() ? "{}" : before, nullptr, false);
  if (!meta.is_object()) meta = OrderedJson::object();
  if (!spec.label.empty()) meta["label"] = spec.label;
  if (!spec.cwd.empty()) meta["cwd"] = spec.cwd;
  if (!spec.argv.empty()) meta["argv"] = spec.argv;
  if (!spec.tool.empty()) meta["tool"] = spec.tool;
  meta["mode"] = mode;
  if (!fired.empty()) meta["fired"] = fired;
  if (spec.restarts > 0) meta["restart_of"] = spec.restart_of;
  if (!run.next().empty()) meta["next"] = run.next();
  if (spec.sandbox) meta["sandbox"] = spec.sandbox->profile;
  add_processes(run, &meta);
  add_end(run, &meta);
  return dump(meta);
}

std::string describe_state(const Run& run) {
  OrderedJson meta = OrderedJson::object();
  if (run.pid() != 0) meta["pid"] = run.pid();
  if (run.state() == RunState::kQueued) meta["reason"] = to_utf8(run.reason());
  if (run.ended()) {
    meta["reason"] = to_utf8(run.reason());
    const auto& exit = run.exit_status();
    if (exit && exit->signal == 0) meta["exit_code"] = exit->code;
    add_end(run, &meta);
  }
  return dump(meta);
}

}  // namespace gibbous::host
