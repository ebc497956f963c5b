// The session of calls that name none, which this process claims before the first of them begins.
#include <utility>

#include "bindings/host/runtime_impl.h"

namespace gibbous {

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
  if (closing || !has_session()) return;
  for (HeldCall& held : std::exchange(held_calls, {})) {
    call(held.id, std::move(held.request), std::move(held.on_done), std::move(held.on_progress));
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
