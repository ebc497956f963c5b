// Ids, and "did you mean".
#include <set>

#include "runtime/base/nearest.h"
#include "runtime/base/random_id.h"
#include "tests/support/catch.h"

using gibbous::nearest_name;

TEST_CASE("ids have eight URL-safe characters and never begin with a dash") {
  std::set<std::string> seen;
  constexpr int kIds = 2000;
  for (int i = 0; i < kIds; ++i) {
    const std::string id = gibbous::random_id();
    REQUIRE(id.size() == gibbous::kIdChars);
    REQUIRE(id.front() != '-');
    REQUIRE(
        id.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
        std::string::npos);
    seen.insert(id);
  }
  REQUIRE(seen.size() == kIds);
}

TEST_CASE("a slightly wrong name is answered with the right one") {
  const std::vector<std::string> known = {"bg_start", "bg_status", "bg_output", "bg_kill"};
  REQUIRE(nearest_name("bg_strat", known) == "bg_start");
  REQUIRE(nearest_name("bg_stauts", known) == "bg_status");
  REQUIRE(nearest_name("BG_KILL", known) == "bg_kill");
  REQUIRE(nearest_name("bgoutput", known) == "bg_output");
}

TEST_CASE("a name that is nothing like any other is answered with nothing") {
  REQUIRE(nearest_name("frobnicate", {"bg_start", "bg_kill"}).empty());
  REQUIRE(nearest_name("", {"bg_start"}).empty());
  REQUIRE(nearest_name(std::string(10'000, 'x'), {"bg_start"}).empty());
}
