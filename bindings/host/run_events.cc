// run_started, run_ended and keeper_lost; exactly one run_ended for every run.
#include "bindings/host/run_events.h"

#include "bindings/json/json.h"

#include "runtime/output/text.h"

namespace gibbous::host {
namespace {

std::string dump(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson describe(const Run& run, const char* name) {
  OrderedJson event = {{"event", name}, {"session", run.spec().session}, {"run", run.id()}};
  if (!run.spec().label.empty()) event["label"] = run.spec().label;
  event["command"] = to_utf8(run.command_text());
  event["state"] = to_string(run.state());
  event["pid"] = run.pid();
  return event;
}

}  // namespace

RunEvents::RunEvents(Runs& runs, const Clock& clock, Recorder& recorder,
                     std::function<void(const Event&)> sink)
    : runs_(runs), clock_(clock), recorder_(recorder), sink_(std::move(sink)) {
  runs_.add_observer(this);
}

RunEvents::~RunEvents() {
  runs_.remove_observer(this);
}

void RunEvents::on_state(Run& run) {
  if (!run.ended() && run.state() != RunState::kRunning) return;
  const char* name = run.ended() ? "run_ended" : (run.adopted() ? "run_adopted" : "run_started");
  OrderedJson event = describe(run, name);
  if (!run.ended() && run.spec().sandbox) {
    const SandboxReport& report = run.sandbox_report();
    event["sandbox"] = {{"profile", run.spec().sandbox->profile},
                        {"network", to_string(run.spec().sandbox->network)},
                        {"landlock_abi", report.landlock_abi},
                        {"unprotected", report.unprotected}};
  }
  if (run.ended()) {
    if (run.limit_reached()) event["limit"] = to_string(run.limit_reached()->kind);
    const auto& exit = run.exit_status();
    event["reason"] = run.reason();
    event["exit_code"] = exit && exit->signal == 0 ? OrderedJson(exit->code) : OrderedJson(nullptr);
    event["runtime_ms"] = run.runtime(clock_).count();
  }
  keep({name, run.spec().session, dump(event)}, run.id());
}

void RunEvents::on_log(Run& run, const LogSpec& log, const std::string& problem) {
  const char* name = problem.empty() ? "run_log_recovered" : "run_log_failed";
  OrderedJson event = describe(run, name);
  event["path"] = log.path;
  if (!problem.empty()) event["message"] = problem;
  keep({name, run.spec().session, dump(event)}, run.id());
}

void RunEvents::tell_journal(const Status& status) {
  OrderedJson event = {{"event", status.ok() ? "journal_recovered" : "journal_failed"},
                       {"session", ""}};
  if (!status.ok()) {
    event["code"] = status.code();
    event["message"] = status.message();
  }
  sink_({status.ok() ? "journal_recovered" : "journal_failed", "", dump(event)});
}

void RunEvents::on_keeper_lost(const std::string& reason) {
  sink_(
      {"keeper_lost", "", dump({{"event", "keeper_lost"}, {"session", ""}, {"message", reason}})});
}

void RunEvents::keep(const Event& event, const std::string& run) {
  recorder_.add_event(run, event.name, event.json);
  if (backlogs_.size() < kMaxBacklogSessions || backlogs_.count(event.session) != 0) {
    Backlog& backlog = backlogs_[event.session];
    backlog.events.push_back(event.json);
    if (backlog.events.size() > kMaxBacklogEvents) {
      backlog.events.pop_front();
      ++backlog.dropped;
    }
  }
  sink_(event);
}

std::vector<std::string> RunEvents::drain(std::string_view session) {
  const auto found = backlogs_.find(session);
  if (found == backlogs_.end()) return {};
  std::vector<std::string> events;
  if (found->second.dropped > 0) {
    events.push_back(dump({{"event", "events_dropped"},
                           {"session", std::string(session)},
                           {"count", found->second.dropped}}));
  }
  events.insert(events.end(), found->second.events.begin(), found->second.events.end());
  backlogs_.erase(found);
  return events;
}

}  // namespace gibbous::host
