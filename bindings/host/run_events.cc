// Sends exactly one run_ended for every run that this process has started or taken over.
#include "bindings/host/run_events.h"
#include "bindings/json/text.h"

#include <algorithm>
#include <utility>

#include "runtime/base/session_name.h"
#include "runtime/output/error_excerpt.h"
#include "runtime/output/text.h"

namespace gibbous::host {
namespace {

// The session whose agent gets the events of a run: the owned one, whatever the agent calls the
// queue, or the name that a host gave.
const std::string& reports_to(const RunSpec& spec) {
  return is_claimed_session(spec.client) ? spec.client : spec.session;
}

OrderedJson describe(const Run& run, const std::string& name) {
  OrderedJson event = {{"event", name}, {"session", run.spec().session}, {"run", run.id()}};
  if (!run.spec().label.empty()) event["label"] = run.spec().label;
  event["command"] = to_utf8(run.command_text());
  event["state"] = to_string(run.state());
  event["pid"] = run.pid();
  if (run.spec().restarts > 0) {
    event["restart_of"] = run.spec().restart_of;
    event["restarts"] = run.spec().restarts;
  }
  return event;
}

void add_end(const Run& run, const Clock& clock, OrderedJson* event) {
  if (run.limit_reached()) (*event)["limit"] = to_string(run.limit_reached()->kind);
  const auto& exit = run.exit_status();
  (*event)["reason"] = run.reason();
  (*event)["exit_code"] =
      exit && exit->signal == 0 ? OrderedJson(exit->code) : OrderedJson(nullptr);
  (*event)["runtime_ms"] = run.runtime(clock).count();
  if (!run.next().empty()) (*event)["next"] = run.next();
}

// For all events that come with one result.
constexpr std::size_t kMostKnowing = 1'000;  // sessions that know of the gap
constexpr std::size_t kMaxErrorsBytes = 3'000;

// What is recorded of a handler's data, or of its error.
constexpr std::size_t kMaxOutcomeBytes = std::size_t{4} << 10;

// It failed by itself: it was not killed.
bool is_about_failure(const OrderedJson& event) {
  if (event["event"] == "run_not_ready") return true;
  const std::string state = event.value("state", "");
  return event["event"] == "run_ended" && (state == "failed" || state == "timeout");
}

OrderedJson describe_match(const Run& run, const WatchMatch& match, const Clock& clock) {
  OrderedJson event = {{"event", match.event}, {"session", run.spec().session}, {"run", run.id()}};
  if (!run.spec().label.empty()) event["label"] = run.spec().label;
  event["at_ms"] = clock.wall().count();
  event["watcher"] = match.watcher + 1;
  event["stream"] = to_string(match.stream);
  event["line"] = match.line;
  if (match.stream == WatchStream::kScreen) {
    event["row"] = match.row;
  } else {
    event["line_number"] = match.line_number + 1;
    event["column"] = match.column;
    event["offset"] = match.offset;
  }
  if (match.partial) event["partial"] = true;
  if (match.cut) event["cut"] = true;
  for (const WatchGroup& group : match.groups) {
    event["captures"].push_back(group.matched ? OrderedJson(group.text) : OrderedJson(nullptr));
    if (!group.name.empty() && group.matched) event["named"][group.name] = group.text;
  }
  if (!match.before.empty()) event["before"] = match.before;
  if (!match.after.empty()) event["after"] = match.after;
  return event;
}

// Returns what is recorded of it as JSON. The last word is left out, because redaction would not
// find a part of a secret.
std::string beginning_of(std::string_view text) {
  for (std::size_t most = kMaxOutcomeBytes;; most -= most / 4) {
    const std::string_view part = text.substr(0, most);
    const std::size_t end = part.find_last_of(" \t\n\"',;:{}[]");
    std::string kept(part.substr(0, end == std::string_view::npos ? 0 : end + 1));
    if (to_text(Json(kept)).size() <= kMaxOutcomeBytes) return kept;
  }
}

// The event as it was delivered, with a bounded part of what its handler added, and without the
// lines around its match, which the item of the match has.
OrderedJson recorded_outcome(OrderedJson event) {
  event.erase("before");
  event.erase("after");
  for (const char* name : {"data", "handler_error"}) {
    const auto found = event.find(name);
    if (found == event.end()) continue;
    const std::string encoded = to_text(*found);
    if (encoded.size() <= kMaxOutcomeBytes) continue;
    const std::string text = found->is_string() ? found->get<std::string>() : encoded;
    *found = beginning_of(text);
    event["note"] =
        std::string(name) + " is only the beginning of " + std::to_string(text.size()) + " bytes";
  }
  return event;
}

}  // namespace

RunEvents::RunEvents(Runs& runs, const Clock& clock, Recording& recording, Backlog& backlog,
                     lua::Engine& engine, Repositories& repositories,
                     std::function<void(const Event&)> sink,
                     std::function<const PolicyRedactor&()> redactor)
    : runs_(runs),
      clock_(clock),
      recording_(recording),
      engine_(engine),
      repositories_(repositories),
      sink_(std::move(sink)),
      redactor_(std::move(redactor)),
      backlog_(backlog) {}

void RunEvents::begin() {
  runs_.add_observer(this);
}

RunEvents::~RunEvents() {
  runs_.remove_observer(this);
}

std::vector<std::string> RunEvents::for_agent(std::string_view session) {
  note_told(session);
  std::vector<std::string> events = backlog_.drain_for_agent(session);
  std::size_t left = kMaxErrorsBytes;
  for (std::string& text : events) {
    OrderedJson event = OrderedJson::parse(text);
    if (!is_about_failure(event)) continue;
    const Run* run = runs_.find(event["run"].get<std::string>());
    if (run == nullptr) continue;
    const std::string errors =
        error_excerpt(run->stream(StreamId::kStdout), run->stream(StreamId::kStderr),
                      std::min(left, kErrorExcerptBytes), *engine_.error_patterns());
    if (errors.empty()) continue;
    left -= errors.size();
    event["errors"] = errors;
    text = to_text(event);
  }
  return events;
}

void RunEvents::note_told(std::string_view session) {
  for (auto match = matched_.begin(); match != matched_.end();) {
    Run* run = runs_.find(match->first);
    if (run != nullptr && reports_to(run->spec()) != session) {
      ++match;
      continue;
    }
    if (run != nullptr) {
      // The name by which scripts/toolsets/marks.lua knows it.
      ArrivalOrder::Offsets& told = run->reader("told " + std::string(session));
      for (std::size_t i = 0; i < told.size(); ++i) told[i] = std::max(told[i], match->second[i]);
    }
    match = matched_.erase(match);
  }
}

std::vector<std::size_t> RunEvents::fired(const std::string& run) const {
  const auto found = fired_.find(run);
  if (found == fired_.end()) return {};
  return {found->second.begin(), found->second.end()};
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
    add_end(run, clock_, &event);
    name_changes(run);
  }
  keep(run, name, event, run.ended() && run.spec().background);
}

// An event of its own, which comes after the end: the end does not wait for the search.
void RunEvents::name_changes(const Run& run) {
  const std::string id = run.id();
  OrderedJson event = describe(run, "repositories_changed");
  const bool looks = repositories_.look_after(
      run, [this, alive = std::weak_ptr<const int>(lifetime_), id, session = reports_to(run.spec()),
            event = std::move(event)](const Repositories::Changes& changes) mutable {
        if (alive.expired()) return;
        if (!changes.changed.empty() || !changes.made.empty()) {
          event["changed"] = changes.changed;
          event["made"] = changes.made;
          event["message"] =
              "Git obeys this: look at it before you run git there outside of the sandbox.";
          const Recorder::Group group(recording_.recorder());
          recording_.recorder().add_event(id, "repositories_changed", redacted(event));
          deliver("repositories_changed", session, event, id, true);
        }
        recording_.recorder().settle_event(id);
      });
  if (looks) recording_.recorder().expect_event(id);
}

void RunEvents::on_readiness(Run& run) {
  const bool ready = run.readiness() == Readiness::kReady;
  if (run.ended() && !ready) return;  // its end was reported
  const char* name = ready ? "run_ready" : "run_not_ready";
  OrderedJson event = describe(run, name);
  event[ready ? "because" : "reason"] = to_utf8(run.readiness_note());
  event["runtime_ms"] = run.runtime(clock_).count();
  keep(run, name, event, run.spec().background);
}

void RunEvents::on_log(Run& run, const LogSpec& log, const std::string& problem) {
  const char* name = problem.empty() ? "run_log_recovered" : "run_log_failed";
  OrderedJson event = describe(run, name);
  event["path"] = log.path;
  if (!problem.empty()) event["message"] = problem;
  keep(run, name, event, true);
}

void RunEvents::on_forget(Run& run) {
  fired_.erase(run.id());
  matched_.erase(run.id());
}

void RunEvents::notify_journal(const Status& status) {
  const char* name = status.ok() ? "journal_recovered" : "journal_failed";
  OrderedJson event = {{"event", name}, {"session", ""}};
  if (!status.ok()) {
    event["code"] = status.code();
    event["message"] = status.message();
  }
  sink_({name, "", to_text(event)});
}

void RunEvents::notify_journal_cut(const Status& status) {
  const OrderedJson event = {
      {"event", status.code()}, {"session", ""}, {"message", status.message()}};
  sink_({status.code(), "", to_text(event)});
}

void RunEvents::tell_gap(const std::string& session, const std::string& gap) {
  if (knows_gap_.size() == kMostKnowing) knows_gap_.clear();  // these are told again
  if (!knows_gap_.insert(session).second) return;
  const OrderedJson event = {{"event", "sandbox_gap"}, {"session", session}, {"message", gap}};
  deliver("sandbox_gap", session, event, "", true);
}

void RunEvents::notify_settled(const RunRecord& run) {
  const bool again = run.status == to_string(RunState::kQueued);
  const char* name = again ? "run_requeued" : "run_ended";
  OrderedJson event = {{"event", name},
                       {"session", run.session_id},
                       {"run", run.run_id},
                       {"command", to_utf8(run.command)},
                       {"state", run.status}};
  const Json meta = parse_object(run.meta_json, kMaxJournalTextBytes);
  if (const auto label = meta.find("label"); label != meta.end()) event["label"] = *label;
  if (again) event["attempt"] = run.attempt;
  if (!run.error_message.empty()) event["reason"] = run.error_message;
  if (run.has_exit_code) event["exit_code"] = run.exit_code;
  const std::string& session = is_claimed_session(run.client) ? run.client : run.session_id;
  deliver(name, session, event, run.run_id, true);
}

void RunEvents::announce_close() {
  for (Run* run : runs_.list()) {
    // The next process starts those that have not begun, or says why not.
    if (run->ended() || run->pid() == 0 || !run->spec().background || run->spec().keep) continue;
    OrderedJson event = describe(*run, "run_ended");
    event["state"] = to_string(RunState::kKilled);
    add_end(*run, clock_, &event);
    event["reason"] = "its session ended";
    backlog_.add({"run_ended", reports_to(run->spec()), to_text(event)}, run->id(), true,
                 redacted(event));
  }
}

void RunEvents::on_keeper_lost(const std::string& reason) {
  sink_({"keeper_lost", "",
         to_text(OrderedJson({{"event", "keeper_lost"}, {"session", ""}, {"message", reason}}))});
}

void RunEvents::on_match(Run& run, std::size_t set, WatchMatch match) {
  const Recorder::Group group(recording_.recorder());
  if (set == 0 && fired_[run.id()].insert(match.watcher).second) {
    recording_.recorder().refresh(run.id());
  }
  if (match.stream != WatchStream::kScreen) {
    const auto index = static_cast<std::size_t>(match.stream == WatchStream::kStderr);
    const Stream& stream = *run.streams()[index];
    matched_[run.id()][index] = stream.line_offset(match.line_number + 1).value_or(stream.end());
  }
  const OrderedJson event = describe_match(run, match, clock_);
  recording_.recorder().add_event(run.id(), match.event, redacted(event));
  if (call_handler(run, match.event, event)) return;
  deliver(match.event, reports_to(run.spec()), event, run.id(), run.spec().background);
}

// Reported when its handler has ended, with what the handler adds, which is then an item of the
// run.
bool RunEvents::call_handler(const Run& run, const std::string& name, const OrderedJson& event) {
  lua::CallSpec hook;
  hook.handler = "on_" + name;
  hook.tool = hook.handler;
  hook.session = run.spec().session;
  hook.client = run.spec().client;
  hook.values = Json::parse(to_text(event));
  hook.on_done = [this, alive = std::weak_ptr<const int>(lifetime_), id = run.id(),
                  session = reports_to(run.spec()), name, event,
                  for_agent = run.spec().background](const CallResult& result) {
    if (alive.expired()) return;
    const Recorder::Group group(recording_.recorder());
    OrderedJson delivered = event;
    if (!result.ok) {
      delivered["handler_error"] = result.message;
    } else if (!result.data.empty()) {
      delivered["data"] = OrderedJson::parse(result.data);
    }
    if (delivered.size() > event.size()) {
      recording_.recorder().add_event(id, name, redacted(recorded_outcome(delivered)));
    }
    recording_.recorder().settle_event(id);
    deliver(name, session, delivered, id, for_agent);
  };
  if (engine_.run_hook(std::move(hook)) == 0) return false;
  recording_.recorder().expect_event(run.id());
  return true;
}

void RunEvents::on_suppressed(Run& run, std::size_t, const WatchPatterns& patterns,
                              const SuppressedSummary& summary) {
  OrderedJson event = {{"event", "events_suppressed"},
                       {"session", run.spec().session},
                       {"run", run.id()},
                       {"count", summary.count}};
  for (const SuppressedWatcher& each : summary.watchers) {
    event["watchers"].push_back(
        {{"event", patterns.spec(each.watcher).event}, {"count", each.count}});
  }
  keep(run, "events_suppressed", event, run.spec().background);
}

void RunEvents::keep(const Run& run, const std::string& name, const OrderedJson& event,
                     bool for_agent) {
  const Recorder::Group group(recording_.recorder());
  recording_.recorder().add_event(run.id(), name, redacted(event));
  deliver(name, reports_to(run.spec()), event, run.id(), for_agent);
}

void RunEvents::deliver(const std::string& name, const std::string& session,
                        const OrderedJson& event, const std::string& run, bool for_agent) {
  const Event delivered{name, session, to_text(event)};
  backlog_.add(delivered, run, for_agent, redacted(event));
  sink_(delivered);
}

// As it is recorded, which outlives the run: without secrets of the command, whose row is redacted.
// What the run has written stays, as its other output.
std::string RunEvents::redacted(OrderedJson event) const {
  const PolicyRedactor& redactor = redactor_();
  for (const char* name : {"command", "label", "reason", "because", "message"}) {
    const auto found = event.find(name);
    if (found == event.end() || !found->is_string()) continue;
    *found = redactor.redact(found->get_ref<const std::string&>());
  }
  return to_text(event);
}

}  // namespace gibbous::host
