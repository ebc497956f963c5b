// Rate limits of matches, on a clock that the test moves.
#include <chrono>

#include "runtime/watch/watch_limiter.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WatchRates kRates{{3, milliseconds(100)}, {5, milliseconds(100)}};

unsigned admitted(WatchLimiter& limiter, std::size_t watcher, unsigned tries, Nanos now) {
  unsigned count = 0;
  for (unsigned at = 0; at < tries; ++at) count += limiter.admit(watcher, false, now) ? 1 : 0;
  return count;
}

TEST_CASE("a bucket gives its burst at once and then one in each interval") {
  TokenBucket bucket({2, milliseconds(10)});
  const auto take = [&](Nanos now) {
    const bool had = bucket.has(now);
    if (had) bucket.take(now);
    return had;
  };
  CHECK(take(Nanos(0)));
  CHECK(take(Nanos(0)));
  CHECK_FALSE(take(milliseconds(9)));
  CHECK(take(milliseconds(10)));
  CHECK_FALSE(take(milliseconds(19)));
  CHECK(take(seconds(100)));
  CHECK(take(seconds(100)));
  CHECK_FALSE(take(seconds(100)));
}

TEST_CASE("a bucket without a burst has no limit") {
  TokenBucket bucket({});
  for (int at = 0; at < 1000; ++at) bucket.take(Nanos(0));
  CHECK(bucket.has(Nanos(0)));
}

TEST_CASE("a watcher's flood leaves room for the others, up to the limit of the run") {
  WatchLimiter limiter(3, kRates);
  CHECK(admitted(limiter, 0, 100, Nanos(0)) == 3);
  CHECK(admitted(limiter, 1, 100, Nanos(0)) == 2);
  CHECK(admitted(limiter, 2, 100, Nanos(0)) == 0);
  CHECK(admitted(limiter, 2, 100, milliseconds(100)) == 1);
}

TEST_CASE("the limit shared by all runs holds too") {
  TokenBucket all({4, seconds(1)});
  WatchLimiter one(1, kRates, &all);
  WatchLimiter other(1, kRates, &all);
  CHECK(admitted(one, 0, 10, Nanos(0)) == 3);
  CHECK(admitted(other, 0, 10, Nanos(0)) == 1);
}

TEST_CASE("one summary counts what a flood left out, once it is over") {
  WatchLimiter limiter(2, kRates);
  CHECK_FALSE(limiter.next_summary_at());
  admitted(limiter, 1, 10, seconds(5));
  admitted(limiter, 0, 10, seconds(5) + milliseconds(500));
  REQUIRE(limiter.next_summary_at() == seconds(6) + milliseconds(500));
  CHECK_FALSE(limiter.summary(seconds(6)));
  const auto summary = limiter.summary(seconds(7));
  REQUIRE(summary);
  CHECK(summary->count == 14);
  REQUIRE(summary->watchers.size() == 2);
  CHECK(summary->watchers[0].watcher == 0);
  CHECK(summary->watchers[0].count == 7);
  CHECK(summary->watchers[1].count == 7);
  CHECK(summary->since == seconds(5));
  CHECK(summary->until == seconds(5) + milliseconds(500));
  CHECK_FALSE(limiter.next_summary_at());
  CHECK_FALSE(limiter.summary(seconds(9)));
  CHECK_FALSE(limiter.finish());
}

TEST_CASE("the end of a run does not wait for a flood to be over") {
  WatchLimiter limiter(1, kRates);
  admitted(limiter, 0, 4, Nanos(0));
  const auto summary = limiter.finish();
  REQUIRE(summary);
  CHECK(summary->count == 1);
  CHECK_FALSE(limiter.finish());
}

TEST_CASE("a match of a once watcher is never suppressed") {
  WatchLimiter limiter(2, kRates);
  admitted(limiter, 0, 100, Nanos(0));
  admitted(limiter, 1, 100, Nanos(0));
  CHECK(limiter.admit(1, true, Nanos(0)));
}

}  // namespace
}  // namespace gibbous
