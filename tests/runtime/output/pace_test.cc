// Pace: when a reader changes to ticks and back.
#include "runtime/output/pace.h"

#include "tests/support/catch.h"

using gibbous::kFewWakeups;
using gibbous::kFirstHoldOffMs;
using gibbous::kFirstTick;
using gibbous::kLastHoldOffMs;
using gibbous::kLongestTick;
using gibbous::kManyWakeups;
using gibbous::kShortestTick;
using gibbous::Pace;

namespace {

constexpr std::size_t kWriteBytes = 100;
constexpr std::size_t kPipeBytes = 1 << 20;
constexpr std::size_t kGoodTick = kPipeBytes / 4;

// Records `times` wake-ups within the millisecond `now_ms`.
void wake(Pace& pace, std::size_t times, std::uint64_t now_ms) {
  for (std::size_t i = 0; i < times; ++i) pace.on_wakeup(kWriteBytes, now_ms);
}

// Records a tick that found room left in the pipe.
void tick(Pace& pace, std::size_t bytes, std::uint64_t now_ms) {
  pace.on_tick(bytes, kPipeBytes, /*held_up=*/false, now_ms);
}

}  // namespace

TEST_CASE("a stream with occasional output is served when it wakes") {
  Pace pace;
  for (std::uint64_t now = 1; now < 1000; ++now) wake(pace, kManyWakeups - 1, now);
  CHECK_FALSE(pace.ticking());
}

TEST_CASE("very many wake-ups within a millisecond start the tick") {
  Pace pace;
  wake(pace, kManyWakeups, 7);
  CHECK(pace.ticking());
  CHECK(pace.interval() == kFirstTick);
}

TEST_CASE("ticks come as often as the pipe needs them") {
  Pace pace;
  wake(pace, kManyWakeups, 7);
  SECTION("as they are while they bring enough") {
    for (std::uint64_t now = 8; now < 100; ++now) tick(pace, kGoodTick, now);
    CHECK(pace.ticking());
    CHECK(pace.interval() == kFirstTick);
  }
  SECTION("sooner when the pipe fills") {
    tick(pace, kPipeBytes * 3 / 4, 8);
    CHECK(pace.interval() == kFirstTick / 2);
    for (std::uint64_t now = 9; now < 20; ++now) tick(pace, kPipeBytes * 3 / 4, now);
    CHECK(pace.ticking());
    CHECK(pace.interval() == kShortestTick);
  }
  SECTION("later when it hardly does") {
    for (std::uint64_t now = 8; now < 20; ++now) tick(pace, kWriteBytes * kFewWakeups, now);
    CHECK(pace.ticking());
    CHECK(pace.interval() == kLongestTick);
  }
}

TEST_CASE("ticking ends when ticks bring too little") {
  Pace pace;
  wake(pace, kManyWakeups, 7);
  SECTION("nothing") {
    tick(pace, 0, 8);
  }
  SECTION("no more than a wake-up would have, as when each answer waits for a question") {
    tick(pace, kWriteBytes, 8);
  }
  SECTION("less than a few wake-ups would have, after the longest interval") {
    while (pace.interval() < kLongestTick) tick(pace, kWriteBytes * kFewWakeups, 8);
    REQUIRE(pace.ticking());
    tick(pace, kWriteBytes * kFewWakeups - 1, 9);
  }
  CHECK_FALSE(pace.ticking());
}

TEST_CASE("ticking ends when even the shortest interval holds up the writer") {
  Pace pace;
  wake(pace, kManyWakeups, 7);
  for (std::uint64_t now = 8; pace.interval() > kShortestTick; ++now) {
    pace.on_tick(kPipeBytes, kPipeBytes, /*held_up=*/true, now);
    REQUIRE(pace.ticking());
  }
  pace.on_tick(kPipeBytes, kPipeBytes, /*held_up=*/true, 20);
  CHECK_FALSE(pace.ticking());
}

TEST_CASE("ticking that was useless is tried again at growing intervals") {
  Pace pace;
  std::uint64_t now = 1;
  std::uint64_t expected = kFirstHoldOffMs;
  for (int i = 0; i < 12; ++i) {
    wake(pace, kManyWakeups, now);
    REQUIRE(pace.ticking());
    tick(pace, 0, now);
    wake(pace, kManyWakeups, now + expected - 1);
    REQUIRE_FALSE(pace.ticking());
    now += expected;
    expected = expected * 2 < kLastHoldOffMs ? expected * 2 : kLastHoldOffMs;
  }
  SECTION("and one success forgets that") {
    wake(pace, kManyWakeups, now);
    tick(pace, kGoodTick, now);
    tick(pace, 0, now);
    wake(pace, kManyWakeups, now + kFirstHoldOffMs);
    CHECK(pace.ticking());
  }
}
