// Lifecycle: the phase of the keeper, from the hello of its host to its own end. Pure: the server
// reports events and acts on the phase, so tests need no processes to try every transition. Keeper
// only.
#pragma once

#include <cstdint>
#include <optional>

namespace gibbous::keeper {

enum class Phase : std::uint8_t {
  kAwaitingHost,  // connected to the host that started this keeper; nothing runs yet
  kServing,       // that host has said hello
  kSparing,       // the host is gone: everything ends, except detached runs
  kAlone,         // only detached runs are left; the control socket accepts the next host
  kVisited,       // the next host is connected, and has not said hello yet
  kTakenOver,     // it has said hello: it gets the detached runs, and starts nothing here
  kEnding,        // everything ends, detached runs too
  kCleaningUp,    // every run has ended: the last cleanup commands are carried out
  kDone,          // the loop stops
};

enum class Event : std::uint8_t {
  kHello,        // a host has said hello in this keeper's version
  kHostLost,     // the host exited, hung up, broke the protocol, said no hello in time, or shut
                 // the keeper down
  kStop,         // SIGTERM
  kOthersEnded,  // nothing but detached runs is left, or what is left cannot be ended
  kAllEnded,     // no process is left, or what is left cannot be ended
  kAccepted,     // the control socket accepted a host
  kEndsExpired,  // the ends of detached runs have been remembered for long enough
  kCleanedUp,    // no cleanup command is left
};

// clang-format off: the table of transitions.
//
//              Hello     HostLost Stop   OthersEnded AllEnded   Accepted EndsExpired CleanedUp
// AwaitingHost Serving   Done     Done   -           -          -        -           -
// Serving      -         (1)      Ending -           -          -        -           -
// Sparing      -         =        Ending Alone       -          -        -           -
// Alone        -         =        Ending -           -          Visited  Done        -
// Visited      TakenOver (1)      Ending -           -          -        -           -
// TakenOver    -         (1)      Ending -           -          -        -           -
// Ending       -         =        =      -           CleaningUp -        -           -
// CleaningUp   -         =        =      -           =          -        -           Done
// Done         -         =        =      -           -          -        -           -
//
// "=": the event is expected and changes nothing. "-": it must not happen in this phase.
// (1): kSparing while there are detached runs, else kEnding.
// Nothing leads from kEnding, kCleaningUp or kDone back to a phase in which runs live on.
// clang-format on
//
// Returns nothing for an event that must not happen.
std::optional<Phase> transition(Phase phase, Event event, bool has_detached);

class Lifecycle {
 public:
  Phase phase() const { return phase_; }
  bool is(Phase phase) const { return phase_ == phase; }

  // Moves to the next phase. False: the event must not happen in this phase, which stays.
  [[nodiscard]] bool on(Event event, bool has_detached = false);

  // A host that has said hello is at the other end.
  bool serves() const { return is(Phase::kServing) || is(Phase::kTakenOver); }
  bool awaits_hello() const { return is(Phase::kAwaitingHost) || is(Phase::kVisited); }
  // The keeper is ending processes because its host is gone or it was told to stop.
  bool ends_processes() const { return is(Phase::kSparing) || is(Phase::kEnding); }
  // The keeper no longer starts, reports or kills anything for the library.
  bool is_ending() const { return ends_processes() || is(Phase::kCleaningUp) || is(Phase::kDone); }

 private:
  Phase phase_ = Phase::kAwaitingHost;
};

}  // namespace gibbous::keeper
