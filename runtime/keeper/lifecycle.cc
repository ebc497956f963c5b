#include "runtime/keeper/lifecycle.h"

namespace gibbous::keeper {
namespace {

std::optional<Phase> only(bool allowed, Phase next) {
  return allowed ? std::optional(next) : std::nullopt;
}

std::optional<Phase> after_hello(Phase phase) {
  if (phase == Phase::kAwaitingHost) return Phase::kServing;
  return only(phase == Phase::kVisited, Phase::kTakenOver);
}

Phase after_host_lost(Phase phase, bool has_detached) {
  switch (phase) {
    case Phase::kAwaitingHost:
      return Phase::kDone;
    case Phase::kServing:
    case Phase::kVisited:
    case Phase::kTakenOver:
      return has_detached ? Phase::kSparing : Phase::kEnding;
    case Phase::kSparing:
    case Phase::kAlone:
    case Phase::kEnding:
    case Phase::kCleaningUp:
    case Phase::kDone:
      return phase;
  }
  return phase;
}

Phase after_stop(Phase phase) {
  switch (phase) {
    case Phase::kAwaitingHost:
      return Phase::kDone;
    case Phase::kServing:
    case Phase::kSparing:
    case Phase::kAlone:
    case Phase::kVisited:
    case Phase::kTakenOver:
      return Phase::kEnding;
    case Phase::kEnding:
    case Phase::kCleaningUp:
    case Phase::kDone:
      return phase;
  }
  return phase;
}

std::optional<Phase> after_all_ended(Phase phase) {
  if (phase == Phase::kEnding) return Phase::kCleaningUp;
  return only(phase == Phase::kCleaningUp, phase);
}

}  // namespace

std::optional<Phase> transition(Phase phase, Event event, bool has_detached) {
  switch (event) {
    case Event::kHello:
      return after_hello(phase);
    case Event::kHostLost:
      return after_host_lost(phase, has_detached);
    case Event::kStop:
      return after_stop(phase);
    case Event::kOthersEnded:
      return only(phase == Phase::kSparing, Phase::kAlone);
    case Event::kAllEnded:
      return after_all_ended(phase);
    case Event::kAccepted:
      return only(phase == Phase::kAlone, Phase::kVisited);
    case Event::kEndsExpired:
      return only(phase == Phase::kAlone, Phase::kDone);
    case Event::kCleanedUp:
      return only(phase == Phase::kCleaningUp, Phase::kDone);
  }
  return std::nullopt;
}

bool Lifecycle::on(Event event, bool has_detached) {
  const auto next = transition(phase_, event, has_detached);
  if (next) phase_ = *next;
  return next.has_value();
}

}  // namespace gibbous::keeper
