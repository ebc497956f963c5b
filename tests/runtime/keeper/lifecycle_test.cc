// The phases of the keeper: every phase with every event, as in the table of lifecycle.h.
#include "runtime/keeper/lifecycle.h"

#include <array>
#include <optional>
#include <vector>

#include "tests/support/catch.h"

namespace {

using gibbous::keeper::Event;
using gibbous::keeper::Lifecycle;
using gibbous::keeper::Phase;
using gibbous::keeper::transition;

constexpr std::size_t kPhases = 9;
constexpr std::size_t kEvents = 8;
constexpr std::array<Phase, kPhases> kAllPhases{
    Phase::kAwaitingHost, Phase::kServing, Phase::kSparing,    Phase::kAlone, Phase::kVisited,
    Phase::kTakenOver,    Phase::kEnding,  Phase::kCleaningUp, Phase::kDone};
constexpr std::array<Event, kEvents> kAllEvents{
    Event::kHello,    Event::kHostLost, Event::kStop,        Event::kOthersEnded,
    Event::kAllEnded, Event::kAccepted, Event::kEndsExpired, Event::kCleanedUp};

using Row = std::array<std::optional<Phase>, kEvents>;
using Table = std::array<Row, kPhases>;

constexpr auto kNever = std::nullopt;

// Rows in the order of kAllPhases, columns in that of kAllEvents.
Table expected(bool has_detached) {
  const Phase lost = has_detached ? Phase::kSparing : Phase::kEnding;
  using enum Phase;
  return {{
      {kServing, kDone, kDone, kNever, kNever, kNever, kNever, kNever},
      {kNever, lost, kEnding, kNever, kNever, kNever, kNever, kNever},
      {kNever, kSparing, kEnding, kAlone, kNever, kNever, kNever, kNever},
      {kNever, kAlone, kEnding, kNever, kNever, kVisited, kDone, kNever},
      {kTakenOver, lost, kEnding, kNever, kNever, kNever, kNever, kNever},
      {kNever, lost, kEnding, kNever, kNever, kNever, kNever, kNever},
      {kNever, kEnding, kEnding, kNever, kCleaningUp, kNever, kNever, kNever},
      {kNever, kCleaningUp, kCleaningUp, kNever, kCleaningUp, kNever, kNever, kDone},
      {kNever, kDone, kDone, kNever, kNever, kNever, kNever, kNever},
  }};
}

// Returns a lifecycle after these events.
Lifecycle after(const std::vector<Event>& events, bool has_detached) {
  Lifecycle lifecycle;
  for (const Event event : events) REQUIRE(lifecycle.on(event, has_detached));
  return lifecycle;
}

}  // namespace

TEST_CASE("each event moves each phase of the keeper as the table says, or is refused") {
  for (const bool has_detached : {false, true}) {
    const Table table = expected(has_detached);
    for (std::size_t row = 0; row < kPhases; ++row) {
      for (std::size_t column = 0; column < kEvents; ++column) {
        INFO("phase " << row << ", event " << column << ", detached runs: " << has_detached);
        CHECK(
            (transition(kAllPhases[row], kAllEvents[column], has_detached) == table[row][column]));
      }
    }
  }
}

TEST_CASE("a rejected event leaves the phase of the keeper unchanged") {
  Lifecycle lifecycle;
  REQUIRE(lifecycle.on(Event::kHello));
  CHECK_FALSE(lifecycle.on(Event::kHello));
  CHECK_FALSE(lifecycle.on(Event::kAccepted));
  CHECK_FALSE(lifecycle.on(Event::kAllEnded));
  CHECK(lifecycle.is(Phase::kServing));
}

TEST_CASE("a keeper without detached runs ends everything when its host is gone") {
  Lifecycle lifecycle = after({Event::kHello, Event::kHostLost}, false);
  CHECK(lifecycle.is(Phase::kEnding));
  CHECK(lifecycle.ends_processes());
  REQUIRE(lifecycle.on(Event::kAllEnded));
  CHECK(lifecycle.is(Phase::kCleaningUp));
  CHECK_FALSE(lifecycle.ends_processes());
  REQUIRE(lifecycle.on(Event::kCleanedUp));
  CHECK(lifecycle.is(Phase::kDone));
}

TEST_CASE("a keeper with detached runs serves one host after the other") {
  Lifecycle lifecycle = after({Event::kHello, Event::kHostLost, Event::kOthersEnded}, true);
  for (int host = 0; host < 3; ++host) {
    CHECK(lifecycle.is(Phase::kAlone));
    CHECK_FALSE(lifecycle.is_ending());
    REQUIRE(lifecycle.on(Event::kAccepted, true));
    CHECK(lifecycle.awaits_hello());
    CHECK_FALSE(lifecycle.serves());
    REQUIRE(lifecycle.on(Event::kHello, true));
    CHECK(lifecycle.is(Phase::kTakenOver));
    CHECK(lifecycle.serves());
    REQUIRE(lifecycle.on(Event::kHostLost, true));
    CHECK(lifecycle.is(Phase::kSparing));
    REQUIRE(lifecycle.on(Event::kOthersEnded, true));
  }
}

TEST_CASE("a host that disconnects without a hello costs the keeper no detached run") {
  Lifecycle lifecycle =
      after({Event::kHello, Event::kHostLost, Event::kOthersEnded, Event::kAccepted}, true);
  REQUIRE(lifecycle.on(Event::kHostLost, true));
  CHECK(lifecycle.is(Phase::kSparing));
  REQUIRE(lifecycle.on(Event::kOthersEnded, true));
  CHECK(lifecycle.is(Phase::kAlone));
  CHECK_FALSE(lifecycle.awaits_hello());
}

TEST_CASE("SIGTERM ends detached runs in every phase") {
  for (const Phase phase : kAllPhases) {
    const auto next = transition(phase, Event::kStop, true);
    REQUIRE(next.has_value());
    CHECK((*next == Phase::kEnding || *next == Phase::kCleaningUp || *next == Phase::kDone));
  }
}

TEST_CASE("no event leads from the keeper's end back to a phase in which runs live on") {
  for (const Phase phase : {Phase::kEnding, Phase::kCleaningUp, Phase::kDone}) {
    for (const Event event : kAllEvents) {
      const auto next = transition(phase, event, true);
      if (!next) continue;
      CHECK((*next == Phase::kEnding || *next == Phase::kCleaningUp || *next == Phase::kDone));
      CHECK(*next >= phase);
    }
  }
}
