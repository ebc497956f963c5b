// When a screen is examined, on a clock that the test moves.
#include <chrono>

#include "runtime/watch/screen_pace.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("an unchanged screen is not scanned") {
  ScreenPace pace;
  CHECK_FALSE(pace.next());
  CHECK_FALSE(pace.take(seconds(5)));
}

TEST_CASE("a screen is scanned once when its output has paused") {
  ScreenPace pace;
  pace.wrote(seconds(1));
  pace.wrote(seconds(1) + milliseconds(10));
  const Nanos quiet = seconds(1) + milliseconds(10) + kScreenQuiet;
  REQUIRE(pace.next() == quiet);
  CHECK_FALSE(pace.take(quiet - Nanos(1)));
  CHECK(pace.take(quiet) == ScreenLook::kSettled);
  CHECK_FALSE(pace.next());
  CHECK_FALSE(pace.take(seconds(9)));
}

TEST_CASE("output without a pause is scanned a few times a second, and once more at its end") {
  constexpr milliseconds kWritten{10'000};
  constexpr long kMostLooks = kWritten / kScreenLookInterval;
  ScreenPace pace;
  long looks = 0;
  for (milliseconds now{0}; now < kWritten; now += milliseconds(1)) {
    pace.wrote(now);
    const auto look = pace.take(now);
    if (!look) continue;
    ++looks;
    CHECK(*look == ScreenLook::kInTheMiddle);
  }
  CHECK(looks <= kMostLooks);
  CHECK(looks >= kMostLooks - 1);
  CHECK(pace.take(kWritten + kScreenQuiet) == ScreenLook::kSettled);
}

TEST_CASE("a slow scan is followed by a pause") {
  ScreenPace pace;
  constexpr Nanos kTook = milliseconds(100);
  pace.wrote(Nanos(0));
  REQUIRE(pace.take(kScreenQuiet));
  const Nanos end = kScreenQuiet + kTook;
  pace.looked(kScreenQuiet, end);
  pace.wrote(end);
  REQUIRE(pace.next() == end + kTook * kScreenRest);
  CHECK_FALSE(pace.take(end + kScreenQuiet));
  CHECK(pace.take(end + kTook * kScreenRest) == ScreenLook::kSettled);
}

TEST_CASE("a scan that is late runs once") {
  ScreenPace pace;
  pace.wrote(seconds(1));
  CHECK(pace.take(seconds(60)) == ScreenLook::kSettled);
  CHECK_FALSE(pace.next());
}

}  // namespace
}  // namespace gibbous
