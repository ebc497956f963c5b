// Calls, and what comes before the first of them: the session of calls that name none, which this
// process claims, and the runs that earlier processes kept, which it takes over.
#include <algorithm>
#include <memory>
#include <utility>

#include "bindings/host/guarantees.h"
#include "bindings/host/runtime_impl.h"
#include "runtime/keeper/control_socket.h"

namespace gibbous {

void Runtime::Impl::call(CallId id, CallRequest request, std::function<void(CallResult)> on_done,
                         std::function<void(const Progress&)> on_progress) {
  if (!knows_earlier_runs() || (request.session.empty() && !has_session())) {
    held_calls.push_back({id, std::move(request), std::move(on_done), std::move(on_progress)});
    return;
  }
  if (request.session.empty()) {
    request.session = session;
  } else if (options.claim_session) {
    named_sessions.insert(request.session);
  }
  worker->serve(request.session);
  if (run_events && engine->current()->policy().confines()) {
    if (const std::string& gap = host::sandbox_gap(); !gap.empty())
      run_events->tell_gap(request.session, gap);
  }
  if (request.wants_backlog) {
    on_done = [this, of = request.session, end = std::move(on_done)](CallResult result) {
      add_backlog(of, std::move(result), end);
    };
  } else if (run_events) {
    run_events->note_told(request.session);  // its host got them as they came
  }
  engine->call(id, std::move(request), std::move(on_done), std::move(on_progress));
}

bool Runtime::Impl::cancel(CallId id, const std::string& code, const std::string& message) {
  const auto held = std::find_if(held_calls.begin(), held_calls.end(),
                                 [id](const HeldCall& each) { return each.id == id; });
  if (held == held_calls.end()) return engine && engine->cancel(id, code, message);
  CallResult result;
  result.code = code;
  result.message = message + " before it began";
  ended_calls.emplace_back(std::move(held->on_done), std::move(result));
  held_calls.erase(held);
  runs->later([this] { deliver_ended(); });
  return true;
}

void Runtime::Impl::deliver_ended() {
  for (auto& [on_done, result] : std::exchange(ended_calls, {})) on_done(std::move(result));
}

void Runtime::Impl::add_backlog(const std::string& session, CallResult result,
                                const std::function<void(CallResult)>& end) {
  if (!run_events) {
    end(std::move(result));
    return;
  }
  auto held = std::make_shared<CallResult>(std::move(result));
  run_events->backlog().recall(session, [this, session, held, end] {
    for (const ReportedRun& run : held->reported) run_events->backlog().note_reported(session, run);
    held->backlog = run_events->for_agent(session);
    add_layer_notes(session, &held->backlog);
    note_given_later();
    end(std::move(*held));
  });
}

// A host with its own loop has received what it was given once it polls again.
void Runtime::Impl::note_given_later() {
  if (owns_loop) return;
  runs->later([this] {
    if (run_events) run_events->backlog().note_given();
  });
}
// Whether what earlier processes kept running is taken over; begins to do so otherwise. A tool that
// lists or counts runs would miss them. A journal that does not open holds calls for a second.
bool Runtime::Impl::knows_earlier_runs() {
  if (earlier_runs != EarlierRuns::kUnasked) return earlier_runs == EarlierRuns::kKnown;
  if (!options.adopt_runs || !recording->is_enabled()) {
    earlier_runs = EarlierRuns::kKnown;
    return true;
  }
  earlier_runs = EarlierRuns::kAsked;
  state_gate->pass([this](bool answers) {
    if (closing) return;
    if (!answers || list_control_sockets(runs->options().keep_directory).empty()) {
      earlier_runs = EarlierRuns::kKnown;
      begin_held_calls();
      return;
    }
    recording->when_open_soon([this](const Status&) {
      earlier_runs = EarlierRuns::kKnown;
      begin_held_calls();
    });
  });
  return earlier_runs == EarlierRuns::kKnown;
}

// Whether it is known; begins to claim it otherwise.
bool Runtime::Impl::has_session() {
  if (!options.claim_session || options.state_dir.empty() || !session.empty()) return true;
  if (claim_timer.active() || claim_waits) return false;
  claim_waits = true;
  state_gate->pass([this](bool answers) {
    claim_waits = false;
    if (closing) return;
    attempt_claim(answers);
    if (!held_calls.empty()) claim_session();
  });
  return !session.empty();
}

// In vain without an answer from the state directory: calls then go on without a claim.
void Runtime::Impl::attempt_claim(bool answers) {
  const auto fail = [this](const std::string& why) {
    engine->log("warn", "no session can be claimed: " + why, Json(), "");
    session = options.session;
  };
  if (!answers) return fail("the state directory does not answer");
  if (!claim) claim.emplace(options.state_dir, options.session);
  const Result<bool> owned = claim->attempt(clock->now());
  if (!owned) return fail(owned.status().message());
  if (*owned) {
    session = claim->name();
    return;
  }
  constexpr Millis kBetweenAttempts{10};
  claim_timer.start(loop, kBetweenAttempts, false, [this] { claim_session(); });
}

void Runtime::Impl::claim_session() {
  if (!closing && has_session()) begin_held_calls();
}

// Those that still lack what they wait for are held again, in order.
void Runtime::Impl::begin_held_calls() {
  if (closing) return;
  for (HeldCall& held : std::exchange(held_calls, {})) {
    call(held.id, std::move(held.request), std::move(held.on_done), std::move(held.on_progress));
  }
}

void Runtime::Impl::end_session(const std::string& named) {
  constexpr std::size_t kMostRecorded = 1000;
  if (named.empty() || named == session || closing) return;
  decisions->end_session(named);
  const Millis grace = runs->options().limits.timeout_grace;
  for (Run* run : runs->list()) {
    if (run->spec().client != named || run->spec().keep) continue;
    runs->kill(*run, stop_signal(run->spec()), grace, [](Run&, const KillReport&) {});
  }
  if (recording->journal() == nullptr) return;
  // No process would start what waits. One may have begun meanwhile, because an end above made
  // room.
  for (const bool only_queued : {true, false}) {
    recording->runs("", only_queued, kMostRecorded,
                    [this, named](const Result<std::vector<RunRecord>>& recorded) {
                      if (!recorded || closing) return;
                      for (const RunRecord& each : *recorded) {
                        if (each.client != named || is_terminal_status(each.status)) continue;
                        const Run* here = runs->find(each.run_id);
                        if (here != nullptr && here->spec().keep) continue;
                        worker->request_kill(each.run_id, "SIGTERM", [](const auto&) {});
                      }
                    });
  }
}

// Each session's agent is told once.
void Runtime::Impl::add_layer_notes(const std::string& session, std::vector<std::string>* backlog) {
  constexpr std::size_t kMaxTold = 1000;
  if (layer_notes.empty()) return;
  if (notes_told.size() >= kMaxTold && notes_told.count(session) == 0) return;
  std::size_t& told = notes_told[session];
  backlog->insert(backlog->begin(), layer_notes.begin() + static_cast<std::ptrdiff_t>(told),
                  layer_notes.end());
  told = layer_notes.size();
}

}  // namespace gibbous
